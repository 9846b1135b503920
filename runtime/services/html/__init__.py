"""Documents as HTML that nothing can run in."""
