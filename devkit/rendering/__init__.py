"""Renders components without a host's pages: keeps their state, walks their elements, and draws them."""
