"""Runs our own code on untrusted files, in a separate sandboxed process with a folder and nothing else."""
