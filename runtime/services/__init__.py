"""Business rules that span several rows or have external effects."""
