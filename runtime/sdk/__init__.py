"""The SDK that a Python integration imports; standard library only.

This is the only package whose `__init__` has more than a docstring: it re-exports the names that scripts use, so that
`from runtime.sdk import Integration, Response, ui` works.
"""

from runtime.sdk import ui
from runtime.sdk.component import Component, Element
from runtime.sdk.content_source import ContentSource
from runtime.sdk.context import Context
from runtime.sdk.errors import ApiError, ExposableError, FetchError, RegistrationError
from runtime.sdk.http_messages import Request, Response
from runtime.sdk.integration import Integration
from runtime.sdk.oauth import OAuthConfig, oauth_handler, oauth_token

__all__ = [
    "ApiError",
    "Component",
    "ContentSource",
    "Context",
    "Element",
    "ExposableError",
    "FetchError",
    "Integration",
    "OAuthConfig",
    "RegistrationError",
    "Request",
    "Response",
    "oauth_handler",
    "oauth_token",
    "ui",
]
