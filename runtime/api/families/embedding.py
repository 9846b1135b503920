"""Blocks of integrations: those available in a space, and the one for a pasted address."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import ANYBODY_WITH_A_TOKEN, for_visitors, member, scoped
from runtime.contract.embedding import Embed, EmbedQuery, IntegrationBlocks
from runtime.services import embedding as blocks
from runtime.store import searching
from runtime.store.tables.spaces import SpaceRow

embedding = Family("Spaces")

READERS = for_visitors(scoped(member("read"), "space:metadata:read"))


@embedding.operation("GET /v1/spaces/{spaceId}/integration-blocks", list[IntegrationBlocks], needs=READERS)
def list_space_integrations_blocks(call: Call, space: SpaceRow) -> list[IntegrationBlocks]:
    """List the blocks of the integrations that are active in a space."""
    return blocks.blocks_of(call.session, space, call.actor.reach)


@embedding.operation("GET /v1/spaces/{spaceId}/embed", Embed, needs=READERS)
def get_embed_by_url_in_space(call: Call, space: SpaceRow, query: EmbedQuery) -> Embed:
    """Tell what an address becomes in a space: a block of an integration that is active there, or a link."""
    among = searching.current_on_space(call.session, space, call.actor.reach)
    return call.host.unfurling.embed(call.session, query.url, among, call.host.addresses)


@embedding.operation("GET /v1/urls/embed", Embed, needs=ANYBODY_WITH_A_TOKEN)
def get_embed_by_url(call: Call, query: EmbedQuery) -> Embed:
    """Tell what an address becomes: a block of an integration the caller has installed, or a link."""
    among = searching.current_for(call.session, call.actor.reach)
    return call.host.unfurling.embed(call.session, query.url, among, call.host.addresses)
