"""A replacement of debugpy's own adapter."""
