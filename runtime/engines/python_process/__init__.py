"""Python scripts in forked, sandboxed workers."""
