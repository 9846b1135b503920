"""A person's own tokens (extension)."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import USER
from runtime.api.resource import Resource
from runtime.contract.organizations import CreatedToken, CreateToken, PersonalToken
from runtime.serializers import access_tokens as serializers
from runtime.services import access_tokens as service
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.organizations import TokenRow

TOKEN = Resource(
    "token",
    TokenRow,
    at="user/tokens/{tokenId}",
    model=PersonalToken,
    serialize=serializers.personal_tokens,
    order=newest_first(TokenRow.created_at, TokenRow.id),
)

access_tokens = Family("Platform", TOKEN)


@access_tokens.list(f"GET {TOKEN.collection}", TOKEN, needs=USER)
def list_user_tokens(call: Call) -> Conditions:
    """List the caller's own tokens, without their secret values (extension)."""
    return [TokenRow.kind == "token"]


@access_tokens.operation(f"POST {TOKEN.collection}", CreatedToken, needs=USER, status=201)
def create_user_token(call: Call, body: CreateToken) -> CreatedToken:
    """Create a token of the caller; only this answer contains its secret value (extension)."""
    row, token = service.create(call.session, call.actor.reach, body)
    return CreatedToken(**call.show(serializers.personal_tokens, row).model_dump(), token=token)


crud.delete(
    access_tokens,
    TOKEN,
    "revokeUserToken",
    "Revoke one of the caller's own tokens; what is open with it ends (extension).",
    needs=USER,
)
