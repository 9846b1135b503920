"""The JavaScript engine: Deno processes, one per version of an integration."""
