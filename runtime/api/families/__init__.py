"""One file for each family of operations."""
