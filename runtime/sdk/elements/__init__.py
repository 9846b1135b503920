"""Builders of the ContentKit elements; scripts reach them through `ui`."""
