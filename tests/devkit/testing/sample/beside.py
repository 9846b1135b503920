"""A module of the script's own."""

TITLE = "Title"
