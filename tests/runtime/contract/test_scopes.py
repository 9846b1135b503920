"""What operations need which scope: the table for tools agrees with what the host asks for."""

from __future__ import annotations

from runtime.api.table import operations
from runtime.contract.scopes import CALLS, call_at


def test_the_table_says_of_every_operation_here_what_the_host_asks_for() -> None:
    served = {(one.name, one.method, one.path, one.needs.scope) for one in operations() if one.needs.scope is not None}
    assert served == {tuple(call) for call in CALLS}


def test_an_operation_is_found_by_its_address() -> None:
    for one in CALLS:
        address = "/".join("abc" if part.startswith("{") else part for part in one.path.split("/"))
        found = call_at(one.method, address)
        assert found is not None
        assert found.scope == one.scope
    assert call_at("DELETE", "/v1/spaces/abc") is None
    assert call_at("GET", "/v1/spaces/abc/integrations") is None
