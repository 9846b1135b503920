"""Content of spaces: revisions that never change, made of pieces that they share."""
