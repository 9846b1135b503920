"""What `devkit doctor` looks at."""
