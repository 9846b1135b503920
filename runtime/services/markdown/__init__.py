"""Markdown, with the platform's own block syntax, to and from documents of nodes."""
