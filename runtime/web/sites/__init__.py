"""Published sites: their pages, what is around them, and what pages ask for."""
