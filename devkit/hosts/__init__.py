"""Calls to a host over HTTP: its address, a token for it, and what it refuses."""
