"""Descriptions of scopes for the people who decide about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runtime.contract.integrations import Scope

WORDS: Mapping[Scope, str] = {
    "space:content:read": "Read the content of spaces",
    "space:content:write": "Change the content of spaces",
    "space:metadata:read": "See which spaces there are, with their titles and settings",
    "space:metadata:write": "Change titles and settings of spaces",
    "space:git:sync": "Import and export content from and to Git repositories",
    "page:feedback:read": "Read the ratings and comments that readers give pages",
    "site:metadata:read": "See sites, with their structure, settings and customization",
    "site:views:read": "Get notified of every page that readers view",
    "site:script:inject": "Run scripts in the browsers of your readers",
    "site:script:cookies": "Store cookies in the browsers of your readers",
    "site:visitor:auth": "Sign in the visitors of sites",
    "site:adaptive:read": "Read which visitor claims sites know",
    "site:adaptive:write": "Change which visitor claims sites know",
    "openapi:read": "Read OpenAPI specifications",
    "openapi:write": "Add, change and delete OpenAPI specifications",
    "conversations:ingest": "Import conversations from elsewhere",
    "space:views:read": "Get notified of every page of spaces that readers view",
    "space:script:inject": "Run scripts in the browsers of readers of spaces",
    "space:script:cookies": "Store cookies in the browsers of readers of spaces",
    "space:visitor:auth": "Sign in the visitors of spaces",
    "site:ai:ask": "Ask questions about the content of sites",
    "site:visitor:claims": "Learn what visitors claim about themselves",
}


def in_words(scopes: Iterable[str]) -> list[tuple[str, str]]:
    """Say each scope in words, with its name; one that nobody has words for stands by its name alone."""
    words = {str(scope): text for scope, text in WORDS.items()}
    return [(words.get(scope, scope), scope) for scope in scopes]
