"""Content from elsewhere: read apart into one form, and made a revision of a space."""
