"""What operations add rows to, and how many of them there may be: the constant that bounds them."""

from __future__ import annotations

from runtime.api.families import sites, translations, tunnels
from runtime.contract.base import Body
from runtime.contract.installations import UpdatePart
from runtime.contract.integrations import PublishIntegration
from runtime.services import (
    access_tokens,
    change_requests,
    commenting,
    content_quota,
    granting,
    installing,
    inviting,
    membership,
    publishing,
    quotas,
    reviewing,
    saml_providers,
    sharing,
    site_outline,
    structure,
)
from runtime.services.printing import making
from runtime.settings import Settings
from runtime.store import imports, openapi_specs, queue
from runtime.store.jobs import MAX_WAITING


def most_items(model: type[Body], field: str) -> int:
    """Read how many items a field of a body may have."""
    return int(model.model_json_schema()["properties"][field]["maxItems"])


SPACE = {
    "spaces": quotas.MAX_SPACES,
    "revisions": content_quota.MAX_REVISIONS,
    "space_blobs": content_quota.MAX_BLOBS,
    "grants": granting.MAX_GRANTS,
    "space_installations": installing.MAX_PARTS,
}
CONTENT = {"revisions": content_quota.MAX_REVISIONS, "space_blobs": content_quota.MAX_BLOBS}
IMPORT = {**CONTENT, "imports": imports.KEPT, "jobs": MAX_WAITING}
COMMENT = {"comments": commenting.MAX_COMMENTS}
REPLY = {"comment_replies": commenting.MAX_REPLIES}
REACTIONS = {"comment_reactions": commenting.MAX_PEOPLE}
MAX_SITES = sites.MAX_SITES
NAMES = {"external_ids": most_items(UpdatePart, "externalIds")}
EVENT = {"events": queue.MAX_WAITING}
GIT = {**CONTENT, "git_operations": MAX_WAITING, "git_syncs": quotas.MAX_SPACES, "jobs": MAX_WAITING}
PDF = {"pdfs": making.MAX_KEPT, "jobs": making.MAX_WAITING}
VERSIONS = {"integration_versions": Settings().keep_versions}
GRANTS = {"grants": granting.MAX_GRANTS}
SITE_PART = {"site_spaces": site_outline.MAX_SPACES}

BOUNDED: dict[str, dict[str, int]] = {
    "addMemberToOrganizationTeamById": {"team_members": quotas.MAX_MEMBERS},
    "addSectionGroupToSite": {"site_section_groups": site_outline.MAX_GROUPS},
    "addSectionToGroup": {"site_sections": site_outline.MAX_SECTIONS, **SITE_PART},
    "addSectionToSite": {"site_sections": site_outline.MAX_SECTIONS, **SITE_PART},
    "addSpaceToSite": SITE_PART,
    "beginImport": IMPORT,
    "changeContentInChangeRequest": CONTENT,
    "createChangeRequest": {"change_requests": change_requests.MAX_OPEN},
    "createCollection": {"collections": quotas.MAX_COLLECTIONS, "collection_ancestors": structure.MAX_NESTED},
    "createOpenAPISpec": {
        "openapi_specs": openapi_specs.MAX_SPECS,
        "openapi_spec_versions": openapi_specs.MAX_VERSIONS,
        "jobs": MAX_WAITING,
    },
    "createOrUpdateOpenAPISpecBySlug": {
        "openapi_specs": openapi_specs.MAX_SPECS,
        "openapi_spec_versions": openapi_specs.MAX_VERSIONS,
        "jobs": MAX_WAITING,
    },
    "createOrganization": {
        "organizations": quotas.MAX_ADMINISTERED,
        "members": quotas.MAX_ADMINISTERED,
    },
    "createOrganizationInvite": {"invite_links": inviting.MAX_LINKS},
    "createOrganizationSAMLProvider": {"saml_providers": saml_providers.MAX_PROVIDERS},
    "createOrganizationTeam": {"teams": membership.MAX_TEAMS, "team_members": quotas.MAX_MEMBERS},
    "createSite": {
        "sites": sites.MAX_SITES,
        "site_installations": installing.MAX_PARTS,
        **SITE_PART,
        **SPACE,
    },
    "createSiteRedirect": {"site_redirects": sharing.MAX_REDIRECTS},
    "createSiteShareLink": {"site_share_links": sharing.MAX_LINKS},
    "createSpace": SPACE,
    "createTranslation": {"translations": translations.MAX_TRANSLATIONS},
    "deleteCollectionById": {"deleted_space_places": sites.MAX_SITES},
    "deleteSpaceById": {"deleted_space_places": sites.MAX_SITES},
    "restoreSpace": {
        "site_sections": site_outline.MAX_SECTIONS,
        "site_redirects": sharing.MAX_REDIRECTS,
        "site_space_customizations": site_outline.MAX_SPACES,
        "space_installations": installing.MAX_PARTS,
        **SITE_PART,
    },
    "createUserToken": {"tokens": access_tokens.MAX_TOKENS},
    "duplicateSpace": SPACE,
    "getChangeRequestPDF": PDF,
    "getSpacePDF": PDF,
    "exportToGitRepository": GIT,
    "applyTemplateToSpace": CONTENT,
    "importContent": IMPORT,
    "importContentInChangeRequest": IMPORT,
    "importContentInChangeRequestPageById": IMPORT,
    "importContentInPageById": IMPORT,
    "importGitRepository": GIT,
    "installIntegration": {"installations": installing.MAX_INSTALLED},
    "installIntegrationOnSite": {"site_installations": installing.MAX_PARTS},
    "installIntegrationOnSpace": {"space_installations": installing.MAX_PARTS},
    "inviteToCollection": GRANTS,
    "inviteToSpace": GRANTS,
    "inviteUsersToOrganization": {
        "email_invites": inviting.MAX_INVITES,
        "invite_emails": inviting.MAX_EMAILS,
        "jobs": MAX_WAITING,
    },
    "joinOrganizationWithInvite": {"members": quotas.MAX_MEMBERS},
    "mergeChangeRequest": {"revisions": change_requests.MAX_EVER},
    "openTunnel": {"tunnels": tunnels.MAX_TUNNELS},
    "postCommentInChangeRequest": COMMENT,
    "postCommentInSpace": COMMENT,
    "postCommentReplyInChangeRequest": REPLY,
    "postCommentReplyInSpace": REPLY,
    "publishIntegration": {
        "integrations": publishing.MAX_INTEGRATIONS,
        **VERSIONS,
        "integration_previews": most_items(PublishIntegration, "previewImages"),
    },
    "queueIntegrationTask": EVENT,
    "requestReviewersForChangeRequest": {"requested_reviewers": change_requests.MAX_REVIEWERS},
    "rollBackIntegration": VERSIONS,
    "submitChangeRequestReview": {"change_request_reviews": reviewing.MAX_REVIEWS, **COMMENT},
    "trackEventsInSiteById": EVENT,
    "triggerIntegrationEvent": EVENT,
    "overrideSiteSpaceCustomizationById": {"site_space_customizations": site_outline.MAX_SPACES},
    "updateChangeRequest": CONTENT,
    "updateCommentInChangeRequest": REACTIONS,
    "updateCommentInSpace": REACTIONS,
    "updateCommentReplyInChangeRequest": REACTIONS,
    "updateCommentReplyInSpace": REACTIONS,
    "updateIntegrationInstallation": {
        **NAMES,
        "space_installations": quotas.MAX_SPACES,
        "site_installations": MAX_SITES,
    },
    "updateIntegrationSiteInstallation": NAMES,
    "updateIntegrationSpaceInstallation": NAMES,
    "updateSiteAdaptiveSchema": {"site_adaptive_schemas": MAX_SITES},
    "updateSiteCustomizationById": {"site_customizations": MAX_SITES},
    "updateMembersInOrganizationTeam": {"team_members": quotas.MAX_MEMBERS},
    "uploadFileToChangeRequest": CONTENT,
    "uploadImport": IMPORT,
}
"""Operation -> tables that it adds rows to -> how many rows there may be beside each other."""

ADD_NOTHING = {
    "askInOrganization",
    "cancelImport",
    "createIntegrationInstallationToken",
    "getComputedDocument",
    "getComputedRevision",
    "moveCollection",
    "moveSiteSection",
    "moveSiteSectionGroup",
    "moveSiteSpace",
    "moveSpace",
    "publishSite",
    "regenerateSitePublishingAuthById",
    "renderIntegrationUIWithPost",
    "resolvePublishedContentByUrl",
    "searchSiteContent",
    "setIntegrationDevelopmentMode",
    "setUserAsSSOMemberForOrganization",
    "transferCollection",
    "transferSpace",
    "unpublishSite",
    "updateOrganizationMemberLastSeenAt",
    "updateTranslation",
}
"""Operations with POST or PUT that add no row; `test_works` of `test_operations.py` counts them."""

BY_THE_HOST = {
    "blobs",
    "content_pieces",
    "content_sizes",
    "document_references",
    "events",
    "git_syncs",
    "jobs",
    "openapi_spec_versions",
    "search_pages",
    "search_postings",
    "search_spaces",
    "search_words",
}
"""Tables that threads of the host add to whenever they get to it: what they are made of is bounded."""
