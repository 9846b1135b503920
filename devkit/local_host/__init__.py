"""A host on this machine that a command starts: its process, its data folder and its log."""
