"""Git: reads and writes content in repositories, with bounds for what somebody else's server may send."""
