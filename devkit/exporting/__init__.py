"""`devkit export`: a space as a folder."""
