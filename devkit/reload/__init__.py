"""Watching a project and telling what changed."""
