"""What travels: models without input or output."""
