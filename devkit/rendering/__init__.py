"""Renders of components: kept alive as a page keeps them, walked through, and drawn outside a host's own pages."""
