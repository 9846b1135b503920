"""`devkit dev`: run an integration on this machine while its author works on it."""
