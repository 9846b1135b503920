"""What `devkit import` sends, and how it follows it."""
