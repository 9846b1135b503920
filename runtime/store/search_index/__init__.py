"""The index behind search: which page has which words, as rows of our own on either database."""
