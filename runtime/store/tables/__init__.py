"""One file for each family of tables."""
