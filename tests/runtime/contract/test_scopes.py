"""What operations need which scope: the table for tools agrees with what the host asks for."""

from __future__ import annotations

from runtime.api.table import operations
from runtime.contract.scopes import CALLS, call_at


def test_the_table_says_of_every_operation_here_what_the_host_asks_for() -> None:
    served = {one.name: one for one in operations()}
    table = {one.name: one for one in CALLS}
    for name, operation in served.items():
        if operation.needs.scope is None:
            assert name not in table or not operation.needs.installation, name
            continue
        told = table[name]
        assert (told.method, told.path, told.scope) == (operation.method, operation.path, operation.needs.scope)


def test_an_operation_is_found_by_its_address() -> None:
    for one in CALLS:
        address = "/".join("abc" if part.startswith("{") else part for part in one.path.split("/"))
        found = call_at(one.method, address)
        assert found is not None
        assert found.scope == one.scope
    assert call_at("DELETE", "/v1/spaces/abc") is None
    assert call_at("GET", "/v1/spaces/abc/integrations") is None
