"""Backups of a whole host, and hosts made of them."""
