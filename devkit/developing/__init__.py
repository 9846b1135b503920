"""`devkit dev`: an integration on this machine, followed while its author works on it."""
