"""Backups of a whole host, and restoring them."""
