"""The policy of a page that is read: opened for what blocks show, and never for what would run."""

from __future__ import annotations

from runtime.contract.addresses import Addresses
from runtime.web.sites.policy import policy_of_read


def test_a_block_opens_nothing_that_runs() -> None:
    at = Addresses("http://localhost:1", "http://localhost:1")
    asked = "default-src https://all.example; script-src 'unsafe-inline' https://cdn.example; img-src data: https:"
    policy = policy_of_read((), {"app": asked}, at, "site", at.site("site"), alive=True, style="")
    parts = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    assert parts["script-src"] == [f"{at.site_origin('site')}/sites/-/", f"{at.site_origin('site')}/contentkit/"]
    assert parts["worker-src"] == parts["object-src"] == ["'none'"]
    assert "https://all.example" in parts["media-src"] and "https:" in parts["img-src"]
