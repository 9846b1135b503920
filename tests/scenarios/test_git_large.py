"""Git over HTTP: a page of a repository that is too large for a space."""

from __future__ import annotations

from runtime.contract.document_size import MAX_DOCUMENT_PARTS
from tests.repositories import GitServer, Repository
from tests.scenarios.content import Space
from tests.scenarios.git_sync import (  # noqa: F401  # fixtures
    FILES,
    as_usual,
    git_host,
    git_owner,
    git_server,
    git_space,
    new_repository,
    repository_name,
    sync,
)


def test_a_page_that_is_too_large_keeps_its_text(
    space: Space,
    repository: Repository,
    server: GitServer,
    name: str,
) -> None:
    repository.commit(FILES, "First words")
    sync(space, "import", server.address(name))
    large = "# Install\n\n" + "a\n\n" * (MAX_DOCUMENT_PARTS // 7 + 1)
    repository.commit({"guide/install.md": large, "README.md": "# Hello\n\nAgain."}, "Much")
    last = sync(space, "import", server.address(name))
    assert last["state"] == "success" and len(last["problems"]) == 1, last
    assert last["problems"][0].startswith("guide/install.md: Its document has 100,")
    assert space.markdown("readme") == "Again.\n" and space.markdown("guide/install") == "# Steps\n\n* one\n* two\n"
