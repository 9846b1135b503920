"""SQL, and nothing else."""
