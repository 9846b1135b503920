"""A project's files: the manifest, its environments, and what is wrong with them."""
