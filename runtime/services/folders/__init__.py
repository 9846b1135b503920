"""Content as a folder of Markdown files, as repositories hold it (docs/folder-format.md)."""
