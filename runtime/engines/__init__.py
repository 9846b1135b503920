"""Run one script once."""
