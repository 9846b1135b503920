"""A published site with content, a part of which is for who pays."""

from __future__ import annotations

from tests.conftest import Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.site_structure import Site

GUIDE = """# Begin

Ask [a colleague](/users/{user}). {{% reusable-content %}}

![](/files/picture)

{{% content-ref url="/pages/next" %}}
[next](/pages/next)
{{% endcontent-ref %}}
"""


class Published:
    """A site with two sections, one of them for who pays, with content in both."""

    def __init__(self, owner: Tenant) -> None:
        self.site = Site(owner)
        self.first = self.space_of(str(ok(owner.api.get(f"{self.site.path}/structure"))["structure"][0]["space"]["id"]))
        paid = self.site.section("Paid")
        condition = {"condition": 'visitor.claims.plan == "pro"'}
        ok(owner.api.call("PATCH", f"{self.site.path}/sections/{paid['id']}", condition))
        self.paid = self.space_of(paid["siteSpaces"][0]["space"]["id"])
        self.fill(self.first, owner.user)
        self.paid.merge(page("Secret", "For who pays."))
        ok(owner.api.post(f"{self.site.path}/publish"))

    def space_of(self, space_id: str) -> Space:
        space = Space.__new__(Space)
        space.api, space.id, space.path = self.site.api, space_id, f"/v1/spaces/{space_id}"
        return space

    def fill(self, space: Space, user: str) -> None:
        path = space.change_request(
            page("Guide", GUIDE.format(user=user), id="guide"),
            page("Next", "The **end**.", id="next", position={"parent": "guide"}),
            {"type": "put_reusable_content", "id": "part", "title": "Part", "document": {"markdown": "Shared."}},
        )
        query = {"name": "a.png", "id": "picture"}
        assert space.api.call("POST", f"{path}/content/files", data=b"x", params=query).status == 201
        ok(space.api.post(f"{path}/merge"))
