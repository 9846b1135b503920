"""Rows as the wire models the API answers with and scripts find in their environment: a file per family."""
