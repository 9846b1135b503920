"""Content as PDF: put together here, set apart, kept for a while."""
