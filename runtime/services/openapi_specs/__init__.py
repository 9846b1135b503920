"""API specifications: fetched, read, checked, and kept as versions."""
