"""Converts documents to HTML without scripts."""
