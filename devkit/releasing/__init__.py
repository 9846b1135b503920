"""What publishing changes, and asking before it does."""
