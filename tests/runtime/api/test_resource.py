"""Paths as chains of resources: each parameter by its place, and nothing starts that cannot be decided."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from runtime.api import families
from runtime.api.call import Call
from runtime.api.families.installations import INSTALLATION
from runtime.api.families.integrations import INTEGRATION
from runtime.api.families.members import MEMBER
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.families.people import USER_RESOURCE
from runtime.api.families.placements import SITE_INSTALLATION, SPACE_INSTALLATION
from runtime.api.families.sites import SITE
from runtime.api.families.spaces import SPACE
from runtime.api.families.teams import TEAM, TEAM_MEMBER
from runtime.api.mount import rule_of
from runtime.api.operation import Family, bound
from runtime.api.permission import USER, Gate, member
from runtime.api.resource import PathValue, Resource, chain_of
from runtime.api.table import FAMILIES, PLACES, RESOURCES, operations
from runtime.contract.organizations import Organization
from runtime.serializers.organizations import organizations
from runtime.store.cursors import Order
from runtime.store.database import Table
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.teams import TeamRow
from tests.contract.requests_table import FREE, IN_CONTENT

ONE = "/v1/integrations/{integrationName}/installations/{installationId}"


@pytest.mark.parametrize(
    ("path", "chain"),
    [
        ("/v1/user", ()),
        ("/v1/spaces/{spaceId}", (SPACE,)),
        ("/v1/users/{userId}", (USER_RESOURCE,)),
        ("/v1/orgs/{organizationId}/members/{userId}", (ORGANIZATION, MEMBER)),
        ("/v1/orgs/{organizationId}/members/{userId}/teams", (ORGANIZATION, MEMBER)),
        ("/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}", (ORGANIZATION, TEAM, TEAM_MEMBER)),
        (f"{ONE}/spaces/{{spaceId}}", (INTEGRATION, INSTALLATION, SPACE_INSTALLATION)),
        (f"{ONE}/sites/{{siteId}}", (INTEGRATION, INSTALLATION, SITE_INSTALLATION)),
        ("/v1/orgs/{organizationId}/sites/{siteId}", (ORGANIZATION, SITE)),
        ("/v1/orgs/{organizationId}/integrations/{integrationName}/status", (ORGANIZATION, INTEGRATION)),
    ],
)
def test_a_parameter_is_what_its_place_says(path: str, chain: tuple[Resource[object], ...]) -> None:  # type: ignore[type-var]
    assert chain_of(path, RESOURCES) == chain


@pytest.mark.parametrize(
    "path",
    [
        "/v1/orgs/{organizationId}/spaces/{spaceId}",
        "/v1/sites/{siteId}",
        "/v1/teams/{teamId}",
        "/v1/spaces/{spaceId}/members/{userId}",
        "/v1/planets/{planetId}",
    ],
)
def test_a_place_nobody_described_does_not_start(path: str) -> None:
    with pytest.raises(LookupError, match="there is no resource at"):
        chain_of(path, RESOURCES)


def test_every_family_is_served() -> None:
    found = set()
    for module in pkgutil.iter_modules(families.__path__, f"{families.__name__}."):
        found |= {one for one in vars(importlib.import_module(module.name)).values() if isinstance(one, Family)}
    assert found == set(FAMILIES), "enter the family in runtime/api/table.py"


def test_every_operation_finds_what_its_path_names_inside_its_parent() -> None:
    free = {place.at for place in PLACES if isinstance(place, PathValue)}
    for operation in operations():
        if operation.path.removeprefix("/v1/") in free:
            continue
        assert len(operation.gate.chain) == len({*operation.parameters} - FREE - IN_CONTENT)
        for before, resource in zip(operation.gate.chain, operation.gate.chain[1:], strict=False):
            assert resource.within in operation.gate.chain or resource.anywhere, (operation.name, before.name)


def test_a_role_that_nothing_can_decide_about_does_not_start() -> None:
    with pytest.raises(ValueError, match="nothing its path names"):
        Gate("readUser", (USER_RESOURCE,), member("read"))
    with pytest.raises(ValueError, match="nothing its path names"):
        Gate("listAnything", (), member("read"))
    with pytest.raises(ValueError, match="nothing its path names"):
        Gate("readTeam", (ORGANIZATION, TEAM), member("read", on="space"))
    assert Gate("readTeam", (ORGANIZATION, TEAM), member("read")).deciders == (TEAM, ORGANIZATION)


def test_handlers_take_what_their_path_gives() -> None:
    family = Family("Test")

    @family.operation("GET /v1/orgs/{organizationId}", needs=USER)
    def read_team(call: Call, team: TeamRow) -> None:
        """Read a team."""

    @family.operation("GET /v1/orgs/{organizationId}/teams", needs=USER)
    def read_organization(call: Call, organization: UserRow) -> None:
        """Read an organization."""

    @family.operation("GET /v1/orgs/{organizationId}/members/{userId}", needs=USER)
    def read_member(call: Call, organization: OrganizationRow | None, member: MemberRow) -> None:
        """Read a member."""

    for operation, wrong in zip(family.operations, ("names no", "is a OrganizationRow", "only the last"), strict=True):
        with pytest.raises(TypeError, match=wrong):
            bound(operation, RESOURCES)


@pytest.mark.parametrize("at", ["orgs", "orgs/{organizationId}/{teamId}", "{organizationId}/orgs"])
def test_a_resource_stands_at_one_parameter(at: str) -> None:
    with pytest.raises(ValueError, match="one parameter"):
        Resource("x", OrganizationRow, at, Organization, organizations, (Order(OrganizationRow.id),))


def test_every_resource_is_found_in_its_table_and_ordered_by_something_unique() -> None:
    assert len({resource.name for resource in RESOURCES}) == len(RESOURCES)
    for resource in RESOURCES:
        assert hasattr(resource.row, resource.key)
        assert resource.parent_column is None or hasattr(resource.row, resource.parent_column)
        last = resource.order[-1].column.property.columns[0]
        assert last.primary_key or last.unique, resource.name


def test_a_parameter_with_slashes_takes_the_rest_of_the_path() -> None:
    page = Resource(
        "page",
        TeamRow,
        at="pages/{pagePath}",
        within=ORGANIZATION,
        parent_column="organization_id",
        model=Organization,
        serialize=organizations,
        order=(Order(TeamRow.id),),
        slashes=True,
    )
    family = Family("Test", page)

    @family.operation("GET /v1/orgs/{organizationId}/pages/{pagePath}", needs=USER)
    def read_page(call: Call, page: TeamRow) -> None:
        """Read a page."""

    operation = bound(family.operations[0], [*RESOURCES, page])
    assert rule_of(operation) == "/v1/orgs/<organizationId>/pages/<tail:pagePath>"


def test_every_resource_says_who_sees_it_and_which_level_one_has() -> None:
    """A table that says nothing shows nothing, which a list that is always empty would hide."""
    for resource in RESOURCES:
        says = {name for table in resource.row.__mro__[:-1] if table is not Table for name in vars(table)}
        assert "visible_to" in says, resource.name
        assert "level_for" in says or resource.name in WITHOUT_LEVELS, resource.name


GIVEN = {"space_user", "space_team", "collection_user", "collection_team"}
"""What was given on content: the level on that decides."""
COMMENTS = {"comment", "comment_reply", "change_request_comment", "change_request_comment_reply"}
WITHOUT_LEVELS = {
    "user",
    "token",
    "revision",
    "change_request",
    "requested_reviewer",
    "review",
    "import_",
    *COMMENTS,
    *GIVEN,
}
"""What is nobody's but one's own, a person may, or it is not there; and what stands in something that has levels."""
