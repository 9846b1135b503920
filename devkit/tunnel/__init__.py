"""Tunnels: calls from a host to this machine."""
