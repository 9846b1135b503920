"""A person's own tokens (extension)."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import USER
from runtime.contract.base import ListOf, ListQuery
from runtime.contract.organizations import PersonalToken
from runtime.store.tables.organizations import TokenRow

access_tokens = Family("Platform")

TOKENS = "/v1/user/tokens"


@access_tokens.operation(f"GET {TOKENS}", ListOf[PersonalToken], needs=USER)
def list_user_tokens(call: Call, query: ListQuery) -> ListOf[PersonalToken]:
    """List the caller's own tokens, without what they are (extension)."""

    def show(found: Sequence[TokenRow]) -> list[PersonalToken]:
        mine = call.actor.token_id
        return [PersonalToken(id=row.id, created_at=row.created_at, current=row.id == mine) for row in found]

    return call.page(TokenRow, query, show)


@access_tokens.operation(f"DELETE {TOKENS}/{{tokenId}}", needs=USER, status=205, missing="tokenId")
def revoke_user_token(call: Call) -> None:
    """Revoke one of the caller's own tokens; what is open with it ends (extension)."""
    if call.objects.token is None:
        call.status = 204
        return
    call.session.delete(call.objects.token)
