"""Bytes too large for rows, named by their SHA-256: in a folder, or in object storage."""
