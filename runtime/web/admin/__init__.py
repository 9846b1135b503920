"""Pages at `/app`: signing in, accounts, organizations, content, sites and integrations."""
