"""Reads the manifest of a project and finds what is wrong with it."""
