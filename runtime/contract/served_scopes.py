"""The scopes of the operations that are served. Written by `make openapi`."""

from __future__ import annotations

from runtime.contract.integrations import Scope

SERVED: tuple[tuple[str, str, str, Scope], ...] = (
    ("getOrganizationById", "GET", "/v1/orgs/{organizationId}", "space:metadata:read"),
    ("listSpacesInOrganizationById", "GET", "/v1/orgs/{organizationId}/spaces", "space:metadata:read"),
    ("getSpaceById", "GET", "/v1/spaces/{spaceId}", "space:metadata:read"),
    ("updateSpaceById", "PATCH", "/v1/spaces/{spaceId}", "space:metadata:write"),
    ("getContentByUrl", "GET", "/v1/urls/content", "space:metadata:read"),
    ("listSpaceIntegrationsBlocks", "GET", "/v1/spaces/{spaceId}/integration-blocks", "space:metadata:read"),
    ("getEmbedByUrlInSpace", "GET", "/v1/spaces/{spaceId}/embed", "space:metadata:read"),
    ("getCurrentRevision", "GET", "/v1/spaces/{spaceId}/content", "space:content:read"),
    ("listPages", "GET", "/v1/spaces/{spaceId}/content/pages", "space:content:read"),
    ("getPageById", "GET", "/v1/spaces/{spaceId}/content/page/{pageId}", "space:content:read"),
    ("getPageByPath", "GET", "/v1/spaces/{spaceId}/content/path/{pagePath}", "space:content:read"),
    ("getReusableContentById", "GET", "/v1/spaces/{spaceId}/content/reusable-contents/{reusableContentId}", "space:content:read"),
    ("getDocumentById", "GET", "/v1/spaces/{spaceId}/documents/{documentId}", "space:content:read"),
    ("getRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}", "space:content:read"),
    ("getRevisionSemanticChanges", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/changes", "space:content:read"),
    ("listPagesInRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/pages", "space:content:read"),
    ("getPageInRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", "space:content:read"),
    ("getPageDocumentInRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document", "space:content:read"),
    ("getPageInRevisionByPath", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}", "space:content:read"),
    ("getReusableContentInRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}", "space:content:read"),
    ("getReusableContentDocumentInRevisionById", "GET", "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document", "space:content:read"),
    ("getSiteById", "GET", "/v1/orgs/{organizationId}/sites/{siteId}", "site:metadata:read"),
    ("listSiteSpaces", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces", "site:metadata:read"),
    ("listSiteSections", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/sections", "site:metadata:read"),
    ("listSiteSectionGroups", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/section-groups", "site:metadata:read"),
    ("getSiteStructure", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/structure", "site:metadata:read"),
    ("listSiteRedirects", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/redirects", "site:metadata:read"),
    ("getSiteRedirectBySource", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/redirect", "site:metadata:read"),
    ("getSiteCustomizationById", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/customization", "site:metadata:read"),
    ("getSiteSpaceCustomizationById", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/customization", "site:metadata:read"),
    ("getPublishedContentSite", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/published", "site:metadata:read"),
    ("getSiteAdaptiveSchema", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", "site:adaptive:read"),
    ("updateSiteAdaptiveSchema", "PUT", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema", "site:adaptive:write"),
    ("listSiteAdaptiveTemplateConditions", "GET", "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions", "site:adaptive:read"),
    ("trackEventsInSiteById", "POST", "/v1/orgs/{organizationId}/sites/{siteId}/insights/events", "site:views:read"),
)
