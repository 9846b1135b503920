"""Content as PDF: put together here, typeset in a separate process, kept for a while."""
