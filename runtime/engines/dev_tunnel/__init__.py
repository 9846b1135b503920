"""Scripts that run on a developer's machine."""
