"""Models of the wire contract, without input or output."""
