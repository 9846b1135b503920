"""The search index: an inverted index in ordinary rows, on either database."""
