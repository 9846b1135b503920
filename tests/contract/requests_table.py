"""A request that works for every operation: the tests of bad input spoil it in one place each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from sqlalchemy.sql.elements import False_

from runtime.api.operation import Operation
from runtime.api.table import RESOURCES
from runtime.contract.customizations import STANDARD
from runtime.contract.identifiers import new_id
from runtime.store.reach import Reach
from tests.conftest import Api, Installed, Tenant, publication, wait_for

FREE = {"emailDomain"}
"""Parameters that stand for no object."""
IN_CONTENT = {"fileId", "pageId", "pagePath", "documentId", "reusableContentId"}
"""Parameters of what a revision holds, which has no row of its own."""
NOTHING = "x" * 20
"""The id of nothing."""
SCRIPTS = (
    Reach("integration", integration_id="i"),
    Reach("installation", integration_id="i", installation_id="n"),
)
FOUND_BY_SCRIPTS = {
    resource.parameter
    for resource in RESOURCES
    if not all(isinstance(resource.row.visible_to(reach), False_) for reach in SCRIPTS)
}
HIDDEN = {resource.parameter for resource in RESOURCES} - FOUND_BY_SCRIPTS
"""Parameters of what people alone see."""


@dataclass
class World:
    """An integration that is installed, with a token of each kind and one recorded event."""

    installed: Installed
    integration: Api
    installation: Api
    reader: Api
    named: dict[str, str]
    """Parameter of a path -> what it names; `otherX` is a second one."""

    def value(self, parameter: str) -> str:
        one = self.installed
        return {
            "organizationId": one.owner.id,
            "spaceId": one.space,
            "siteId": one.site,
            "integrationName": one.name,
            "installationId": one.installation,
            "emailDomain": "example.com",
            **self.named,
        }.get(parameter, NOTHING)

    def values(self, operation: Operation) -> dict[str, str]:
        """Give what the parameters of an operation name, in order; comments of change requests are others."""
        inside = "changeRequestId" in operation.parameters
        return {
            one: self.named.get(f"{one} inside" if inside else one) or self.value(one) for one in operation.parameters
        }

    def path(self, operation: Operation, **other: str) -> str:
        path = operation.path
        for parameter, value in self.values(operation).items():
            path = path.replace(f"{{{parameter}}}", other.get(parameter, value))
        return path


@dataclass
class Good:
    """What works: `token` is user, integration or installation; `body` and `query` are made for a world."""

    body: Callable[[World], dict[str, Any]] | None = None
    query: Callable[[World], dict[str, str]] = field(default=lambda world: {})
    token: str = "user"
    upload: bytes | None = None
    spoiled: dict[str, Any] = field(default_factory=dict)
    """Values no body of this operation may have, by field."""


def render_body(world: World) -> dict[str, Any]:
    return {"componentId": "counter", "props": {}, "context": world.installed.context()}


SOURCES = """

source = integration.content_source("pages")


@source.revision
def pages(props):
    return [{"type": "document", "title": props.get("title", "Page")}]


@source.document
def page(props):
    return "# Hello"
"""
CONTENT_SOURCES = [{"id": "pages", "title": "Pages", "configuration": {"componentId": "counter"}}]


def compute(world: World) -> dict[str, Any]:
    return {"source": {"type": f"integration:{world.installed.name}:pages", "props": {}}, "seed": "s"}


def app_address(world: World) -> dict[str, str]:
    return {"url": world.installed.owner.api.get(f"/v1/spaces/{world.installed.space}").json["urls"]["app"]}


def render_query(world: World) -> dict[str, str]:
    import json

    from lzstring import LZString

    return {"request": LZString().compressToEncodedURIComponent(json.dumps(render_body(world)))}


SCHEMA = {"type": "object", "properties": {"beta": {"type": "boolean", "description": "Tries new things."}}}
NO_SCHEMA = {"type": "object", "properties": {"beta": {"type": "date"}}}


def page_view(**more: Any) -> dict[str, Any]:
    """What a published site tells when somebody looks at a page."""
    session = {"visitorId": "v", "sessionId": "s", "cookies": {"a": "1"}, "userAgent": "x"}
    place = dict.fromkeys(("siteSection", "siteSpace", "siteShareKey", "space", "revision", "page"))
    return {
        "type": "page_view",
        "session": session | {"language": None, "referrer": None},
        "location": {"url": "https://docs.example.com/a", **place},
        **more,
    }


def another_organization(world: World) -> dict[str, str]:
    made = world.installed.owner.api.post("/v1/orgs", {"title": "The other one"})
    return {"organization": made.json["id"]}


def grants_of(word: str) -> dict[str, Good]:
    """What gives people and teams access to spaces and to collections, in the same way."""
    change = {"body": lambda world: {"role": "comment"}, "spoiled": {"role": "king"}}
    return {
        f"inviteTo{word}": Good(
            lambda world: {"role": "edit", "users": [world.value("userId")], "teams": [world.value("teamId")]},
            spoiled={"role": "king", "users": [], "teams": "all"},
        ),
        f"listPermissionsAggregateIn{word}": Good(),
        **{f"list{kind}PermissionsIn{word}": Good() for kind in ("User", "Team")},
        **{f"update{kind}PermissionIn{word}": Good(**change) for kind in ("User", "Team")},
        **{f"remove{kind}From{word}": Good() for kind in ("User", "Team")},
    }


SPECIFICATION = """{"openapi": "3.1.0", "info": {"title": "Parts", "version": "1"}, "paths": {}}"""
POINTER = {"type": "space", "space": "nowhere"}


def new_space(world: World) -> str:
    """Make a space that is no part of the site yet."""
    return str(
        world.installed.owner.api.post(f"/v1/orgs/{world.installed.owner.id}/spaces", {"title": "One"}).json["id"]
    )


def to_space(world: World) -> dict[str, str]:
    return {"kind": "site-space", "siteSpaceId": world.value("siteSpaceId")}


def site_address(world: World) -> str:
    """Give the address of the published site."""
    one = world.installed
    return str(one.owner.api.get(f"/v1/orgs/{one.owner.id}/sites/{one.site}").json["urls"]["published"])


LINKING = "A [page](/pages/page), a [file](/files/file), and [nothing](/pages/nothing)."


def importing(source: str = "markdown") -> Good:
    """Import the answer of an operation that needs no token."""

    def body(world: World) -> dict[str, Any]:
        address = quote(site_address(world), safe="")
        return {"url": f"{world.installed.owner.api.url}/v1/urls/published?url={address}", "source": source}

    return Good(body, spoiled={"url": "file:///etc/passwd", "source": "ftp"})


def import_that_failed(owner: Tenant, path: str) -> str:
    """Make an import that changes nothing; gives its id."""
    query = {"source": "docx"}
    made = owner.api.call("POST", f"{path}/content/import/upload", data=b"no document", params=query)
    assert made.status == 201, made.text
    return str(made.json["id"])


def content_of(owner: Tenant, space: str, *reviewers: str) -> dict[str, str]:
    """Give a space a page and a reusable content, and another change request; gives what paths name of them."""
    path = f"/v1/spaces/{space}"
    assert owner.api.call("PATCH", path, {"editMode": "live"}).status == 200
    requests_ = [owner.api.post(f"{path}/change-requests", {}).json["id"] for _ in range(2)]
    changes = [
        {"type": "insert_page", "id": "page", "title": "Page", "document": {"markdown": LINKING}},
        {"type": "put_reusable_content", "id": "snippet", "title": "Snippet", "document": {"markdown": "Part."}},
    ]
    for change_request in requests_:
        made = owner.api.post(f"{path}/change-requests/{change_request}/content", {"changes": changes})
        assert made.status == 200, made.text
        query = {"name": "note.txt", "id": "file"}
        added = owner.api.call(
            "POST", f"{path}/change-requests/{change_request}/content/files", data=b"x", params=query
        )
        assert added.status == 201, added.text
    asked = f"{path}/change-requests/{requests_[1]}/requested-reviewers"
    assert owner.api.post(asked, {"users": [owner.user, *reviewers]}).status == 200
    reviewed = f"{path}/change-requests/{requests_[1]}/reviews"
    assert owner.api.post(reviewed, {"status": "approved", "comment": {"markdown": "Good."}}).status == 201
    merged = owner.api.post(f"{path}/change-requests/{requests_[0]}/merge").json
    page = owner.api.get(f"{path}/content/page/page").json
    nowhere = {"url": "http://127.0.0.1:1/a.git", "ref": "refs/heads/main", "gitInfo": {"provider": "github"}}
    assert owner.api.post(f"{path}/git/import", nowhere).status == 204
    wait_for(lambda: owner.api.get(f"{path}/search", query="page").json["items"])
    comment, reply = comment_on(owner, path)
    comment_inside, reply_inside = comment_on(owner, f"{path}/change-requests/{requests_[1]}")
    return {
        "commentId": comment,
        "commentReplyId": reply,
        "commentId inside": comment_inside,
        "commentReplyId inside": reply_inside,
        "changeRequestId": requests_[1],
        "revisionId": merged["revision"],
        "pageId": "page",
        "fileId": "file",
        "importId": import_that_failed(owner, path),
        "pagePath": page["path"],
        "documentId": page["documentId"],
        "reusableContentId": "snippet",
    }


def specification_of(owner: Tenant) -> dict[str, str]:
    """Give an API specification that has been processed, and its version."""
    spec, slug = f"/v1/orgs/{owner.id}/openapi", new_id().lower()
    assert owner.api.call("PUT", f"{spec}/{slug}", {"source": {"text": SPECIFICATION}}).status == 201
    done = wait_for(lambda: owner.api.get(f"{spec}/{slug}").json.get("lastVersion"))
    return {"specSlug": slug, "versionId": done}


def comment_on(owner: Tenant, place: str) -> tuple[str, str]:
    """Comment on a space or a change request, and reply; gives the ids."""
    comment = owner.api.post(f"{place}/comments", {"page": "page", "body": {"markdown": "A comment."}}).json["id"]
    reply = owner.api.post(f"{place}/comments/{comment}/replies", {"body": {"markdown": "A reply."}}).json["id"]
    return comment, reply


def structured(one: Installed) -> dict[str, str]:
    """Give a site two sections, one of them with two spaces and in a group."""
    api, site = one.owner.api, f"/v1/orgs/{one.owner.id}/sites/{one.site}"
    spaces = [api.post(f"/v1/orgs/{one.owner.id}/spaces", {"title": "One more"}).json["id"] for _ in range(3)]
    section = api.post(f"{site}/sections", {"spaceId": spaces[0], "title": "Reference"}).json
    part = api.post(f"{site}/site-spaces", {"spaceId": spaces[1], "sectionId": section["id"]}).json
    group = api.post(f"{site}/section-groups", {"title": "All", "sections": [section["id"]]}).json
    link = api.post(f"{site}/share-links", {"name": "Customers"}).json
    to_section = {"kind": "site-section", "siteSectionId": section["id"]}
    redirect = api.post(f"{site}/redirects", {"source": "/old", "destination": to_section}).json
    dark = {"themes": {"default": "dark"}}
    assert api.call("PATCH", f"{site}/site-spaces/{part['id']}/customization", dark).status == 200
    assert api.post(f"{site}/publish").status == 200
    last = api.post(f"{site}/sections", {"spaceId": spaces[2], "title": "Last"}).json
    first = api.get(f"{site}/sections").json["items"][0]
    return {
        "siteSectionId": section["id"],
        "otherSiteSectionId": first["id"],
        "lastSiteSectionId": last["id"],
        "siteSpaceId": part["id"],
        "otherSiteSpaceId": section["siteSpaces"][0]["id"],
        "siteSectionGroupId": group["id"],
        "shareLinkId": link["id"],
        "siteRedirectId": redirect["id"],
    }


def comments_of(kind: str) -> dict[str, Good]:
    """Requests that work for the comments of spaces and of change requests."""
    said = {"document": {"object": "document", "data": {}, "nodes": []}}
    wrong = {"document": {"object": "document", "nodes": [{}]}}
    update = {"body": wrong, "addedReactions": ["thumb"], "removedReactions": [""]}
    return {
        f"listCommentsIn{kind}": Good(query=lambda world: {"targetPage": "page", "status": "open"}),
        f"postCommentIn{kind}": Good(
            lambda world: {"page": "page", "body": {"markdown": "Read **this**."}},
            spoiled={"page": "nothing", "body": wrong, "node": "nothing"},
        ),
        f"getCommentIn{kind}": Good(query=lambda world: {"format": "markdown"}),
        f"updateCommentIn{kind}": Good(
            lambda world: {"resolved": True, "body": said, "addedReactions": ["1f44d"], "removedReactions": []},
            spoiled={"resolved": 1, **update},
        ),
        f"deleteCommentIn{kind}": Good(),
        f"listCommentRepliesIn{kind}": Good(query=lambda world: {"format": "markdown"}),
        f"postCommentReplyIn{kind}": Good(lambda world: {"body": said}, spoiled={"body": wrong}),
        f"getCommentReplyIn{kind}": Good(),
        f"updateCommentReplyIn{kind}": Good(lambda world: {"addedReactions": ["1f44d"]}, spoiled=update),
        f"deleteCommentReplyIn{kind}": Good(),
        f"listCommentersIn{kind}": Good(),
    }


NO_REPOSITORY: dict[str, Any] = {
    "url": "file:///etc/passwd",
    "ref": "main",
    "repoCacheID": 1,
    "repoTreeURL": None,
    "repoCommitURL": 3,
    "repoProjectDirectory": "../x",
    "timestamp": "yesterday",
    "force": 1,
    "gitInfo": {"provider": "somebody"},
}

GOOD: dict[str, Good] = {
    "listCollectionsInOrganizationById": Good(),
    "createCollection": Good(
        lambda world: {"title": "Inner", "parent": world.value("collectionId")},
        spoiled={"title": "x" * 51, "parent": "nowhere"},
    ),
    "getCollectionById": Good(),
    "updateCollectionById": Good(
        lambda world: {"title": "Renamed", "description": "", "defaultLevel": "inherit"},
        spoiled={"title": "\u200b", "description": "x" * 101, "defaultLevel": "king"},
    ),
    "deleteCollectionById": Good(),
    "listSpacesInCollectionById": Good(),
    "moveCollection": Good(
        lambda world: {"position": {"before": {"type": "space", "space": world.installed.space}}},
        spoiled={"parent": "nowhere", "position": {"after": POINTER}},
    ),
    "transferCollection": Good(another_organization, spoiled={"organization": 3}),
    "deleteSpaceById": Good(),
    "restoreSpace": Good(),
    "duplicateSpace": Good(),
    "moveSpace": Good(
        lambda world: {"parent": world.value("collectionId")},
        spoiled={"parent": "nowhere", "position": {"before": POINTER}},
    ),
    "transferSpace": Good(another_organization, spoiled={"organization": None}),
    "importGitRepository": Good(
        lambda world: {
            "url": "https://someone:token@git.example/a/b.git",
            "ref": "refs/heads/main",
            "repoCacheID": "1",
            "repoTreeURL": "https://git.example/a/b/tree/main",
            "repoCommitURL": "https://git.example/a/b/commit",
            "repoProjectDirectory": "docs",
            "timestamp": "2026-01-31T12:00:00.000Z",
            "force": True,
            "standalone": True,
            "gitInfo": {"provider": "github", "url": "https://git.example/a/b"},
        },
        spoiled=NO_REPOSITORY | {"standalone": "yes"},
    ),
    "exportToGitRepository": Good(
        lambda world: {
            "url": "https://git.example/a/b.git",
            "ref": "refs/heads/main",
            "commitMessage": "Publish",
            "gitInfo": {"provider": "gitlab"},
        },
        spoiled={name: NO_REPOSITORY[name] for name in ("url", "ref", "gitInfo")} | {"commitMessage": ""},
    ),
    "listFolderOfRevisionById": Good(query=lambda world: {"limit": 2}),
    **grants_of("Space"),
    **grants_of("Collection"),
    **{
        name: Good()
        for name in (
            "getCurrentRevision",
            "listPages",
            "getPageById",
            "getPageByPath",
            "getReusableContentById",
            "getDocumentById",
            "getRevisionById",
            "getRevisionSemanticChanges",
            "listPagesInRevisionById",
            "getPageInRevisionById",
            "getPageDocumentInRevisionById",
            "getPageInRevisionByPath",
            "getReusableContentInRevisionById",
            "getReusableContentDocumentInRevisionById",
            "getReviewsByChangeRequestId",
            "getSpacePDF",
            "getChangeRequestPDF",
            "listSpaceLinks",
            "listPageLinksInSpace",
            "getSpaceGitInfo",
            "listSpacePageBacklinks",
            "listSpaceFileBacklinks",
            "listChangeRequestLinks",
            "listPageLinksInChangeRequest",
            "listChangeRequestPageBacklinks",
            "listChangeRequestFileBacklinks",
            "listFiles",
            "getFileById",
            "listFilesInRevisionById",
            "getFileInRevisionById",
            "listFilesInChangeRequestById",
            "getFileInChangeRequestById",
            "getChangeRequestById",
            "mergeChangeRequest",
            "updateChangeRequest",
            "getRevisionOfChangeRequestById",
            "listPagesInChangeRequest",
            "getPageInChangeRequestById",
            "getPageInChangeRequestByPath",
            "getReusableContentInChangeRequestById",
            "getChangeRequestChanges",
            "getContributorsByChangeRequestId",
            "getRequestedReviewersByChangeRequestId",
            "removeRequestedReviewerFromChangeRequest",
        )
    },
    "applyTemplateToSpace": Good(lambda world: {"id": "sample"}, spoiled={"id": "another", "params": 7}),
    "importContent": importing(),
    "importContentInPageById": importing("html"),
    "importContentInChangeRequest": importing(),
    "importContentInChangeRequestPageById": importing(),
    "uploadImport": Good(query=lambda world: {"source": "markdown", "name": "sent.md"}, upload=b"# Sent"),
    "beginImport": Good(
        lambda world: {"url": f"{world.installed.owner.api.url}/v1/nothing", "source": "zip"},
        spoiled={"url": "ftp://example.com", "source": 1, "page": "", "changeRequest": 7},
    ),
    "listImports": Good(),
    "getImportById": Good(),
    "cancelImport": Good(),
    "submitChangeRequestReview": Good(
        lambda world: {"status": "approved", "comment": {"markdown": "Well done."}},
        spoiled={"status": "liked", "comment": {"markdown": 7}},
    ),
    "uploadFileToChangeRequest": Good(query=lambda world: {"name": "other.txt"}, upload=b"Some bytes."),
    "listChangeRequestsForSpace": Good(),
    "createChangeRequest": Good(lambda world: {"subject": "Change"}, spoiled={"subject": "x" * 101}),
    "updateChangeRequestById": Good(
        lambda world: {"subject": "Other", "status": "open"},
        spoiled={"subject": 7, "status": "merged", "description": {"object": "document", "nodes": [{}]}},
    ),
    "requestReviewersForChangeRequest": Good(
        lambda world: {"users": [world.value("userId")], "subject": "Please"},
        spoiled={"users": ["nobody"], "subject": "x" * 101},
    ),
    "changeContentInChangeRequest": Good(
        lambda world: {"changes": [{"type": "insert_page", "title": "Another", "document": {"markdown": "Text."}}]},
        spoiled={"changes": [{"type": "delete_page", "id": "nothing"}]},
    ),
    **comments_of("Space"),
    **comments_of("ChangeRequest"),
    "listOpenAPISpecs": Good(),
    "createOpenAPISpec": Good(
        lambda world: {"slug": new_id().lower(), "source": {"text": SPECIFICATION}},
        spoiled={"slug": "Not-So", "source": {"url": "file:///etc/passwd"}},
    ),
    "getOpenAPISpecBySlug": Good(),
    "createOrUpdateOpenAPISpecBySlug": Good(
        lambda world: {"source": {"text": SPECIFICATION}}, spoiled={"source": {"url": "https://a.example", "text": "a"}}
    ),
    "deleteOpenAPISpecBySlug": Good(),
    "listOpenAPISpecVersions": Good(),
    "getLatestOpenAPISpecVersion": Good(),
    "getLatestOpenAPISpecVersionContent": Good(),
    "getOpenAPISpecVersionById": Good(),
    "getOpenAPISpecVersionContentById": Good(),
    "listTranslations": Good(),
    "createTranslation": Good(lambda world: {"title": "Manual"}, spoiled={"title": "x" * 101}),
    "getTranslation": Good(),
    "updateTranslation": Good(lambda world: {"title": "Guide"}, spoiled={"title": "  "}),
    "deleteTranslation": Good(),
    "getApiInformation": Good(),
    "getAuthenticatedUser": Good(),
    "listUserTokens": Good(),
    "createUserToken": Good(
        lambda world: {"title": "Build server", "expiresIn": 7}, spoiled={"title": " ", "expiresIn": 0}
    ),
    "revokeUserToken": Good(),
    "listOrganizationsForAuthenticatedUser": Good(),
    "getOrganizationById": Good(),
    "getUserById": Good(),
    "createOrganization": Good(
        lambda world: {"title": "Another organization"}, spoiled={"title": "x", "hostname": "No Name!"}
    ),
    "updateOrganizationById": Good(
        lambda world: {"title": "Renamed", "emailDomains": ["example.com"]},
        spoiled={
            "title": "x",
            "emailDomains": ["no domain"],
            "hostname": "No Name!",
            "defaultRole": "king",
            "defaultContent": {"type": "site", "site": "nowhere"},
            "logo": "x" * 2049,
            "sso": "yes",
            "ai": 1,
            "inviteLinks": "no",
            "mergeRules": {"type": "maybe"},
        },
    ),
    "getOrganizationsForEmailDomain": Good(),
    "updateOrganizationMemberLastSeenAt": Good(),
    "setUserAsSSOMemberForOrganization": Good(),
    "listSpacesForOrganizationMember": Good(),
    "listMembersInOrganizationById": Good(),
    "getMemberInOrganizationById": Good(),
    "updateMemberInOrganizationById": Good(lambda world: {"role": "comment"}, spoiled={"role": "king"}),
    "removeMemberFromOrganizationById": Good(),
    "inviteUsersToOrganization": Good(
        lambda world: {"emails": ["a@example.com", {"email": "b@example.com", "role": None}], "role": "edit"},
        spoiled={"emails": ["nobody"], "role": "king", "sso": "yes"},
    ),
    "joinOrganizationWithInvite": Good(),
    "listSAMLProvidersInOrganizationById": Good(),
    "createOrganizationSAMLProvider": Good(
        lambda world: {"label": "Company", "ssoURL": "https://idp.example.com/sso", "defaultRole": "edit"},
        spoiled={
            "label": "x" * 31,
            "entityID": "x" * 1025,
            "certificate": "no certificate",
            "ssoURL": "javascript:alert(1)",
            "defaultTeam": "nowhere",
            "defaultRole": "king",
        },
    ),
    "getOrganizationSAMLProviderById": Good(),
    "updateOrganizationSAMLProvider": Good(
        lambda world: {"label": "Renamed", "defaultTeam": world.value("teamId")},
        spoiled={
            "label": "",
            "entityID": 1,
            "certificate": "x" * 10_001,
            "ssoURL": "ftp://idp.example.com",
            "defaultTeam": "nowhere",
            "defaultRole": "king",
        },
    ),
    "deleteOrganizationSAMLProvider": Good(),
    "listSSOProviderLoginsInOrganization": Good(),
    "listOrganizationEmailInvites": Good(),
    "deleteOrganizationEmailInvite": Good(),
    "listOrganizationInviteLinks": Good(),
    "createOrganizationInvite": Good(lambda world: {"role": "read"}, spoiled={"role": "king"}),
    "getOrganizationInviteLink": Good(),
    "updateOrganizationInviteById": Good(lambda world: {"role": "edit"}, spoiled={"role": "king"}),
    "deleteOrganizationInviteById": Good(),
    "listTeamsForOrganizationMember": Good(),
    "listTeamsInOrganizationById": Good(),
    "createOrganizationTeam": Good(
        lambda world: {"title": "Editors", "members": [world.value("userId")]},
        spoiled={"title": "", "members": ["nobody"]},
    ),
    "getTeamInOrganizationById": Good(),
    "updateTeamInOrganizationById": Good(lambda world: {"title": "Authors"}, spoiled={"title": "x" * 65}),
    "removeTeamFromOrganizationById": Good(),
    "listTeamMembersInOrganizationById": Good(),
    "updateMembersInOrganizationTeam": Good(
        lambda world: {"memberships": {world.value("userId"): {"role": "owner"}}},
        spoiled={"add": ["nobody"], "remove": [""], "memberships": {"x": {"role": "king"}}},
    ),
    "addMemberToOrganizationTeamById": Good(lambda world: {"role": "owner"}, spoiled={"role": "king"}),
    "deleteMemberFromOrganizationTeamById": Good(),
    "listSpacesInOrganizationById": Good(),
    "createSpace": Good(
        lambda world: {"title": "New", "parent": world.value("collectionId")},
        spoiled={"title": "x" * 51, "editMode": "sometimes", "emoji": 7, "parent": "nowhere"},
    ),
    "getSpaceById": Good(),
    "updateSpaceById": Good(
        lambda world: {"title": "Another"},
        spoiled={
            "title": "x" * 51,
            "emoji": 7,
            "editMode": "sometimes",
            "defaultLevel": "king",
            "language": 1,
            "visibility": "hidden",
        },
    ),
    "getContentByUrl": Good(query=app_address),
    "listSpaceIntegrationsBlocks": Good(),
    "getEmbedByUrlInSpace": Good(query=lambda world: {"url": "https://example.com/a"}),
    "getEmbedByUrl": Good(query=lambda world: {"url": "https://example.com/a"}),
    "getComputedRevision": Good(compute, spoiled={"source": {"type": "builtin:openapi", "props": {}}, "seed": 1}),
    "getComputedDocument": Good(compute, spoiled={"source": {"type": "integration:a", "props": {}}, "seed": None}),
    "listSites": Good(),
    "createSite": Good(
        lambda world: {"title": "New site"},
        spoiled={"title": "x", "type": "luxury", "visibility": "hidden", "spaces": ["nowhere"]},
    ),
    "getSiteById": Good(),
    "updateSiteById": Good(
        lambda world: {"title": "Another title", "published": True},
        spoiled={
            "title": "x",
            "visibility": "hidden",
            "basename": "",
            "adaptiveContent": {"enabled": "yes"},
            "agentsContext": "all",
            "defaultSiteSpace": "nowhere",
            "defaultSiteSection": "nowhere",
            "proxy": "no proxy",
            "published": "yes",
            "visitorAuth": {"backend": "integration", "integration": "not-installed"},
        },
    ),
    "deleteSiteById": Good(),
    "publishSite": Good(),
    "unpublishSite": Good(),
    "getSiteAdaptiveSchema": Good(),
    "updateSiteAdaptiveSchema": Good(lambda world: {"jsonSchema": SCHEMA}, spoiled={"jsonSchema": NO_SCHEMA}),
    "listSiteAdaptiveTemplateConditions": Good(),
    "trackEventsInSiteById": Good(
        lambda world: {"events": [page_view()]}, spoiled={"events": [page_view(type="page_blink")]}
    ),
    "listSiteSpaces": Good(),
    "addSpaceToSite": Good(
        lambda world: {"spaceId": new_space(world), "sectionId": world.value("siteSectionId")},
        spoiled={"spaceId": "nowhere", "sectionId": "nowhere"},
    ),
    "updateSiteSpaceById": Good(
        lambda world: {"path": "variant", "condition": "visitor.claims.beta == true"},
        spoiled={"path": "a/b", "condition": "visitor.claims.", "spaceId": "nowhere"},
    ),
    "deleteSiteSpaceById": Good(),
    "moveSiteSpace": Good(
        lambda world: {"position": {"before": {"type": "site-space", "siteSpace": world.value("otherSiteSpaceId")}}},
        spoiled={"position": {"after": {"type": "site-space", "siteSpace": "nowhere"}}},
    ),
    "listSiteSections": Good(),
    "addSectionToSite": Good(
        lambda world: {"spaceId": new_space(world), "title": "A section", "icon": "book"},
        spoiled={"spaceId": "nowhere", "title": "x", "icon": "x" * 51},
    ),
    "updateSiteSectionById": Good(
        lambda world: {"title": "Another section", "path": "another", "condition": None, "description": "What it is"},
        spoiled={
            "title": "x",
            "path": "..",
            "defaultSiteSpace": "nowhere",
            "condition": "",
            "icon": 5,
            "description": "x" * 257,
        },
    ),
    "deleteSiteSectionById": Good(),
    "moveSiteSection": Good(
        lambda world: {
            "position": {"before": {"type": "site-section", "siteSection": world.value("otherSiteSectionId")}}
        },
        spoiled={"position": {"after": {"type": "site-section", "siteSection": "nowhere"}}},
    ),
    "listSiteSectionGroups": Good(),
    "addSectionGroupToSite": Good(
        lambda world: {"title": "More", "sections": [world.value("siteSectionId")], "icon": None},
        spoiled={"title": "", "sections": ["nowhere"], "icon": "x" * 51, "parent": "nowhere"},
    ),
    "updateSiteSectionGroupById": Good(lambda world: {"title": "Less"}, spoiled={"title": "x" * 101, "icon": 1}),
    "deleteSiteSectionGroupById": Good(),
    "addSectionToGroup": Good(
        lambda world: {"sectionId": world.value("otherSiteSectionId")}, spoiled={"sectionId": "nowhere"}
    ),
    "removeSectionFromGroup": Good(),
    "moveSiteSectionGroup": Good(
        lambda world: {"position": {"before": {"type": "site-section", "id": world.value("lastSiteSectionId")}}},
        spoiled={"position": {}},
    ),
    "getSiteStructure": Good(),
    "sortSiteStructure": Good(
        lambda world: {
            "item": {"type": "site-section-group", "id": world.value("siteSectionGroupId")},
            "position": {"before": {"type": "site-section", "id": world.value("lastSiteSectionId")}},
        },
        spoiled={"item": {"type": "page", "id": "x"}, "position": {"after": {"type": "site-section", "id": "nowhere"}}},
    ),
    "listSiteShareLinks": Good(),
    "createSiteShareLink": Good(lambda world: {"name": "Partners"}, spoiled={"name": "x" * 51}),
    "updateSiteShareLinkById": Good(
        lambda world: {"active": False, "name": "Nobody"}, spoiled={"active": "no", "name": "x" * 51}
    ),
    "deleteSiteShareLinkById": Good(),
    "listSiteRedirects": Good(),
    "createSiteRedirect": Good(
        lambda world: {"source": "/older", "destination": to_space(world)},
        spoiled={"source": "no path", "destination": {"kind": "site-section", "siteSectionId": "nowhere"}},
    ),
    "updateSiteRedirectById": Good(
        lambda world: {"source": "/oldest", "destination": to_space(world) | {"kind": "site-page", "pageId": "p1"}},
        spoiled={"source": "/-/x", "destination": {"kind": "site-space", "siteSpaceId": "nowhere"}},
    ),
    "deleteSiteRedirectById": Good(),
    "getSiteRedirectBySource": Good(query=lambda world: {"source": "/old"}),
    "getSitePublishingAuthById": Good(),
    "updateSitePublishingAuthById": Good(
        lambda world: {"backend": "custom", "fallbackURL": "https://login.example.com/"},
        spoiled={"backend": "magic", "fallbackURL": "javascript:alert(1)"},
    ),
    "regenerateSitePublishingAuthById": Good(),
    "getSiteCustomizationById": Good(),
    "updateSiteCustomizationById": Good(
        lambda world: {**STANDARD, "title": "Handbook"},
        spoiled={
            "title": "x",
            "styling": {},
            "internationalization": {"locale": "xx"},
            "favicon": {"icon": {"light": "javascript:x", "dark": "x"}},
            "header": {"preset": "default", "links": [{"title": "x", "to": {"kind": "url", "url": "data:,x"}}]},
            "footer": {"groups": 1},
            "announcement": {"enabled": True, "message": "x", "style": "info"},
            "themes": {"default": "sepia", "toggeable": True},
            "pdf": {},
            "feedback": {"enabled": "no"},
            "ai": {"mode": "all"},
            "git": {"showEditLink": 1},
            "pageActions": {"externalAI": True},
            "externalLinks": {"target": "parent"},
            "pagination": None,
            "trademark": [],
            "privacyPolicy": {"url": "ftp://example.com"},
            "socialPreview": {"url": 1},
            "insights": {"trackingCookie": "yes"},
        },
    ),
    "getSiteSpaceCustomizationById": Good(),
    "overrideSiteSpaceCustomizationById": Good(
        lambda world: {"title": "Variant", "styling": {"theme": "bold", "tint": None}},
        spoiled={"title": "x", "styling": {"theme": "loud"}, "favicon": 1, "header": {"links": [{}]}},
    ),
    "deleteSiteSpaceCustomizationById": Good(),
    "getPublishedContentSite": Good(),
    "searchSpaceContent": Good(query=lambda world: {"query": "page"}),
    "searchOrganizationContent": Good(query=lambda world: {"query": "page"}),
    "searchSiteContent": Good(
        lambda world: {"query": "page", "scope": {"mode": "all"}},
        spoiled={"query": "x" * 513, "scope": {"mode": "specific"}},
    ),
    "askInOrganization": Good(
        lambda world: {"query": "What does the page say?", "previousQueries": ["Which page?"]},
        query=lambda world: {"format": "markdown"},
        spoiled={"query": "", "previousQueries": ["x"] * 11},
    ),
    "getPublishedContentByUrl": Good(query=lambda world: {"url": site_address(world)}),
    "resolvePublishedContentByUrl": Good(
        lambda world: {"url": site_address(world), "visitor": {"unsignedClaims": {"beta": True}}},
        spoiled={"url": "nowhere", "redirectOnError": "yes", "visitor": {"jwtToken": 5}},
    ),
    "listSiteIntegrationScripts": Good(),
    "listSiteIntegrations": Good(),
    "listIntegrations": Good(),
    "getIntegrationByName": Good(),
    "publishIntegration": Good(
        lambda world: publication(world.installed.owner.id),
        spoiled={
            "title": "x",
            "description": "x" * 101,
            "scopes": ["everything"],
            "visibility": "secret",
            "target": "moon",
            "runtime": "v9",
            "blocks": [{"id": "a", "title": "x"}],
            "secrets": {f"S{number}": "x" for number in range(21)},
            "externalLinks": [{"url": "https://example.com", "label": "x"}] * 6,
            "previewImages": ["aGVsbG8="],
            "icon": "no base64!",
            "configurations": {"account": {"properties": {"a": {"type": "date"}}}},
            "contentSecurityPolicy": {"script-source": "self"},
            "script": 5,
        },
    ),
    "unpublishIntegration": Good(),
    "listIntegrationEvents": Good(),
    "getIntegrationEvent": Good(),
    "triggerIntegrationEvent": Good(
        lambda world: {"event": {"type": "space_content_updated", "revisionId": "r"}},
        spoiled={"event": {"type": "space_content_updated"}, "count": 0},
    ),
    "getIntegrationDevelopmentMode": Good(),
    "setIntegrationDevelopmentMode": Good(
        lambda world: {"tunnelUrl": "https://tunnel.example.com"}, spoiled={"tunnelUrl": "x" * 257, "all": "yes"}
    ),
    "disableIntegrationDevelopmentMode": Good(),
    "queueIntegrationTask": Good(
        lambda world: {"task": {"type": "x"}}, token="integration", spoiled={"task": "x", "schedule": 86401}
    ),
    "renderIntegrationUIWithPost": Good(
        render_body, spoiled={"componentId": "", "props": [], "context": {"type": "dream"}, "state": 1}
    ),
    "renderIntegrationUIWithGet": Good(query=render_query),
    "listIntegrationInstallations": Good(token="integration"),
    "installIntegration": Good(lambda world: {"organization": world.installed.owner.id}, spoiled={"organization": 3}),
    "getIntegrationInstallationById": Good(),
    "updateIntegrationInstallation": Good(
        lambda world: {"configuration": {"a": 1}},
        spoiled={"configuration": [], "externalIds": ["x"] * 6, "space_selection": "some", "status": "sleeping"},
    ),
    "uninstallIntegration": Good(),
    "createIntegrationInstallationToken": Good(token="integration"),
    "installIntegrationOnSpace": Good(lambda world: {"space": world.installed.space}, spoiled={"space": 1}),
    "listIntegrationInstallationSpaces": Good(),
    "getIntegrationSpaceInstallation": Good(),
    "updateIntegrationSpaceInstallation": Good(
        lambda world: {"configuration": {}}, spoiled={"configuration": "x", "externalIds": "x"}
    ),
    "uninstallIntegrationFromSpace": Good(),
    "installIntegrationOnSite": Good(lambda world: {"siteId": world.installed.site}, spoiled={"siteId": 1}),
    "listIntegrationInstallationSites": Good(),
    "getIntegrationSiteInstallation": Good(),
    "updateIntegrationSiteInstallation": Good(
        lambda world: {"configuration": {}}, spoiled={"configuration": 1, "externalIds": [1]}
    ),
    "uninstallIntegrationFromSite": Good(),
    "listIntegrationSpaceInstallations": Good(token="integration"),
    "listIntegrationSiteInstallations": Good(token="integration"),
    "listOrganizationIntegrations": Good(),
    "listOrganizationInstallations": Good(),
    "listOrganizationIntegrationsStatus": Good(),
    "getOrganizationIntegrationStatus": Good(),
    "listSpaceIntegrations": Good(),
    "listIntegrationVersions": Good(),
    "rollBackIntegration": Good(lambda world: {"version": 1}, spoiled={"version": 0}),
    "listTunnels": Good(),
    "openTunnel": Good(lambda world: {"name": "laptop"}, spoiled={"name": ""}),
    "closeTunnel": Good(),
}
