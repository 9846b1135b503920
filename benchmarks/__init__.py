"""Side-by-side measurements of the host and a peer; never a timed test."""
