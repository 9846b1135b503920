"""Our own code on hostile files: in a process of its own, with a folder and nothing else."""
