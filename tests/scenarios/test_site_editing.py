"""Pages of a published site link to their file in the repository of their space, where the site wants that."""

from __future__ import annotations

import re
from typing import Any

from tests.conftest import Tenant
from tests.repositories import GitServer, Repository
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.git_sync import (  # noqa: F401  # fixtures
    git_host,
    git_owner,
    git_server,
    new_repository,
    repository_name,
    sync,
)
from tests.scenarios.published_site import Published
from tests.scenarios.site_pages import text_of
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import home


def space_of(site: Site) -> Space:
    made = Published.__new__(Published)
    made.site = site
    return made.space_of(ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["space"]["id"])


def links_to_editors(text: str) -> list[Any]:
    return re.findall(r'<a href="([^"]+)">Edit on (\w+)</a>', text)


def test_a_page_is_edited_where_it_comes_from(
    owner: Tenant, server: GitServer, repository: Repository, name: str
) -> None:
    site = Site(owner)
    space = space_of(site)
    repository.commit({"my docs/README.md": "# Docs\n", "my docs/a b.md": "# A b\n"})
    more: dict[str, Any] = {"repoProjectDirectory": "my docs"}
    last = sync(space, "import", server.address(name, "me:word@"), gitInfo={"provider": "gitlab"}, **more)
    assert last["state"] == "success", last
    space.merge(page("Here", "Only here."))
    ok(site.api.post(f"{site.path}/publish"))
    settings = ok(site.api.get(f"{site.path}/customization"))
    at = home(site)
    assert links_to_editors(text_of(f"{at}a-b")) == []
    ok(site.api.call("PUT", f"{site.path}/customization", settings | {"git": {"showEditLink": True}}))
    repository_at = server.address(name).removesuffix(".git")
    assert links_to_editors(text_of(f"{at}a-b")) == [(f"{repository_at}/-/edit/main/my%20docs/a%20b.md", "GitLab")]
    assert links_to_editors(text_of(f"{at}here")) == []
    sync(space, "import", server.address(name), gitInfo={"provider": "github"}, **more)
    assert links_to_editors(text_of(f"{at}a-b")) == [(f"{repository_at}/edit/main/my%20docs/a%20b.md", "GitHub")]
