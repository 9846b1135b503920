"""Turning a project folder into one publishable bundle."""
