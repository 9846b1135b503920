"""`devkit check`: parsing and validation of manifests, and rules for whole projects."""
