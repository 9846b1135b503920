"""A project's script run without a host."""
