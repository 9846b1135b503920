"""Imports content: converts it to one form in a separate process, and stores it as a revision of a space."""
