"""What runs in the place of debugpy's own adapter."""
