// Calls every method of the published client that has an operation on our hosts, with real arguments.
// What is read of the answers is read with the types that the client declares.
import { GitBookAPI, IntegrationScope, type RequestRenderIntegrationUI, SiteVisibility } from '@gitbook/api';

// @ts-expect-error: the types of Node are not installed.
import { readFileSync } from 'node:fs';

declare const process: { env: Record<string, string>; exitCode: number };

const { HOST, USER_TOKEN, INTEGRATION_TOKEN, ORGANIZATION, NAME } = process.env;
const SCRIPT: string = readFileSync(process.env.SCRIPT_FILE, 'utf8');
const called = new Set<string>();

/** A client that notes which of its methods are called. */
function client(authToken: string): GitBookAPI {
    const api = new GitBookAPI({ endpoint: HOST, authToken });
    for (const family of ['user', 'orgs', 'spaces', 'integrations', 'urls'] as const) {
        const noting = new Proxy(api[family], {
            get: (methods, name: string) => {
                called.add(name);
                return methods[name as keyof typeof methods];
            },
        });
        Object.defineProperty(api, family, { value: noting });
    }
    return api;
}

function expect(right: boolean, what: string): asserts right {
    if (!right) throw new Error(`not as expected: ${what}`);
}

const api = client(USER_TOKEN);
const integration = client(INTEGRATION_TOKEN);

async function run(): Promise<void> {
    const me = await api.user.getAuthenticatedUser();
    expect(me.status === 200 && me.data.email !== undefined, 'the user');
    const organizations = await api.orgs.listOrganizationsForAuthenticatedUser();
    expect(organizations.data.items.some((one) => one.id === ORGANIZATION), 'the organization is listed');
    const organization = await api.orgs.getOrganizationById(ORGANIZATION);
    expect(organization.data.title.length > 0, 'the organization');

    const space = (await api.orgs.createSpace(ORGANIZATION, { title: 'From the client' })).data;
    expect((await api.spaces.getSpaceById(space.id)).data.title === 'From the client', 'the space');
    const spaces = await api.orgs.listSpacesInOrganizationById(ORGANIZATION, { limit: 1000 });
    expect(spaces.data.items.some((one) => one.id === space.id), 'the space is listed');
    const site = (await api.orgs.createSite(ORGANIZATION, { title: 'From the client', spaces: [space.id] })).data;
    expect(site.siteSpaces === 1, 'the site');
    const sites = await api.orgs.listSites(ORGANIZATION, { space: space.id });
    expect(sites.data.items[0].id === site.id, 'the site is listed');
    const changed = await api.orgs.updateSiteById(ORGANIZATION, site.id, {
        title: 'Changed',
        visibility: SiteVisibility.Unlisted,
        adaptiveContent: { enabled: true },
    });
    expect(changed.data.visibility === 'unlisted', 'the site is changed');
    expect((await api.orgs.getSiteById(ORGANIZATION, site.id)).data.title === 'Changed', 'the site');

    const published = await api.integrations.publishIntegration(NAME, {
        runtime: 'v2' as never,
        title: 'Every method',
        description: 'Published by the client.',
        scopes: [IntegrationScope.SiteScriptInject, IntegrationScope.SpaceContentRead, IntegrationScope.SpaceMetadataRead],
        organization: ORGANIZATION,
        script: SCRIPT,
        blocks: [{ id: 'counter', title: 'Counter', urlUnfurl: ['https://unfurl.example/**'] }],
        contentSources: [{ id: 'pages', title: 'Pages', configuration: { componentId: 'counter' } }],
        secrets: { PROVIDER: 'http://provider.example', CLIENT_SECRET: 'x' },
    });
    expect(published.data.version === 2, 'the second version');
    expect((await api.integrations.getIntegrationByName(NAME)).data.urls.publicEndpoint.startsWith(HOST), 'its address');
    const found = await api.integrations.listIntegrations({ owner: ORGANIZATION, search: 'every method' });
    expect(found.data.items.length >= 1, 'the integration is listed');

    const installation = (await api.integrations.installIntegration(NAME, { organization: ORGANIZATION })).data;
    await api.integrations.installIntegrationOnSpace(NAME, installation.id, { space: space.id });
    await api.integrations.installIntegrationOnSite(NAME, installation.id, { siteId: site.id });
    expect(
        (await api.integrations.getIntegrationInstallationById(NAME, installation.id)).data.status === 'active',
        'the installation',
    );
    await api.integrations.updateIntegrationInstallation(NAME, installation.id, {
        configuration: { account: 'a' },
        externalIds: ['external-1'],
    });
    const byId = await integration.integrations.listIntegrationInstallations(NAME, { externalId: 'external-1' });
    expect(byId.data.items.length === 1 && byId.data.items[0].id === installation.id, 'found by its external id');

    const ofSpaces = await api.integrations.listIntegrationInstallationSpaces(NAME, installation.id);
    expect(ofSpaces.data.items[0].space === space.id, 'the space installation is listed');
    await api.integrations.updateIntegrationSpaceInstallation(NAME, installation.id, space.id, {
        configuration: { word: 'space' },
        externalIds: ['external-2'],
    });
    const onSpace = await api.integrations.getIntegrationSpaceInstallation(NAME, installation.id, space.id);
    expect(onSpace.data.configuration !== undefined && 'word' in onSpace.data.configuration, 'the space installation');
    const allSpaces = await integration.integrations.listIntegrationSpaceInstallations(NAME, { externalId: 'external-2' });
    expect(allSpaces.data.items.length === 1, 'space installations of all');
    const ofSites = await api.integrations.listIntegrationInstallationSites(NAME, installation.id);
    expect(ofSites.data.items[0].site === site.id, 'the site installation is listed');
    await api.integrations.updateIntegrationSiteInstallation(NAME, installation.id, site.id, {
        configuration: { word: 'site' },
    });
    const onSite = await api.integrations.getIntegrationSiteInstallation(NAME, installation.id, site.id);
    expect(onSite.data.urls.publicEndpoint.startsWith(HOST), 'the site installation');
    const allSites = await integration.integrations.listIntegrationSiteInstallations(NAME, { limit: 10 });
    expect(allSites.data.items.length === 1, 'site installations of all');

    const own = await integration.createInstallationClient(NAME, installation.id);
    called.add('createIntegrationInstallationToken');
    expect((await own.spaces.getSpaceById(space.id)).data.id === space.id, 'an installation reads its space');

    for (const listed of [
        (await api.orgs.listOrganizationIntegrations(ORGANIZATION)).data.items,
        (await api.orgs.listOrganizationInstallations(ORGANIZATION)).data.items,
        (await api.orgs.listOrganizationIntegrationsStatus(ORGANIZATION)).data.items,
        (await api.spaces.listSpaceIntegrations(space.id)).data.items,
        (await api.spaces.listSpaceIntegrationsBlocks(space.id)).data,
        (await api.orgs.listSiteIntegrations(ORGANIZATION, site.id)).data.items,
        (await api.orgs.listSiteIntegrationScripts(ORGANIZATION, site.id)).data,
    ]) {
        expect(listed.length >= 1, 'a list with something in it');
    }
    await api.orgs.getOrganizationIntegrationStatus(ORGANIZATION, NAME);

    const rendering: RequestRenderIntegrationUI = {
        componentId: 'counter',
        props: { step: 4 },
        context: { type: 'document', spaceId: space.id, editable: false, theme: 'light' } as never,
    };
    const drawn = (await api.integrations.renderIntegrationUiWithPost(NAME, rendering)).data;
    expect(drawn.type === 'element' && drawn.element.type === 'block', 'a drawing');
    const request = await api.integrations.renderIntegrationUiWithGet(NAME, { request: process.env.RENDER_REQUEST });
    expect(request.data.type === 'element', 'a drawing by GET');

    const source = { type: `integration:${NAME}:pages`, props: { title: 'Made' } } as never;
    const revision = (await api.spaces.getComputedRevision(space.id, { source, seed: 's' })).data;
    expect(revision.pages?.[0].title === 'Made', 'computed pages');
    await api.spaces.getComputedDocument(space.id, { source, seed: 's' });
    await api.spaces.getEmbedByUrlInSpace(space.id, { url: 'https://example.com/a' });
    await api.urls.getEmbedByUrl({ url: 'https://example.com/a' });

    await api.orgs.updateSiteAdaptiveSchema(ORGANIZATION, site.id, {
        jsonSchema: { type: 'object', properties: { beta: { type: 'boolean', description: 'Tries new things.' } } } as never,
    });
    const schema = (await api.orgs.getSiteAdaptiveSchema(ORGANIZATION, site.id)).data;
    expect('beta' in (schema.jsonSchema.properties as object), 'the adaptive schema');
    await api.orgs.listSiteAdaptiveTemplateConditions(ORGANIZATION, site.id);
    const location = { url: 'https://docs.example.com/a', siteSection: null, siteSpace: null, siteShareKey: null, space: null, revision: null, page: null };
    const session = { visitorId: 'v', sessionId: 's', cookies: {}, userAgent: 'x', language: null, referrer: null };
    await api.orgs.trackEventsInSiteById(ORGANIZATION, site.id, {
        events: [{ type: 'page_view', session, location }] as never,
    });

    await integration.integrations.queueIntegrationTask(NAME, { task: { type: 'count', left: 0 }, schedule: 0 });
    let events = await api.integrations.listIntegrationEvents(NAME, { limit: 5 });
    for (let tries = 0; events.data.items.length === 0 && tries < 100; tries++) {
        await new Promise<void>((resolve) => setTimeout(resolve, 100));
        events = await api.integrations.listIntegrationEvents(NAME, { limit: 5 });
    }
    const event = await api.integrations.getIntegrationEvent(NAME, events.data.items[0].id);
    expect(event.data.event.id === events.data.items[0].id, 'an event');
    await api.integrations.setIntegrationDevelopmentMode(NAME, { tunnelUrl: 'https://tunnel.example.com', all: false });
    await api.integrations.disableIntegrationDevelopmentMode(NAME);

    await api.integrations.uninstallIntegrationFromSite(NAME, installation.id, site.id);
    await api.integrations.uninstallIntegrationFromSpace(NAME, installation.id, space.id);
    await api.integrations.uninstallIntegration(NAME, installation.id);
    const gone = await api.integrations.unpublishIntegration(NAME).then(() => api.integrations.getIntegrationByName(NAME)).catch((error) => error);
    expect(gone.code === 404 && gone.errorMessage.length > 0, 'an error as the client reads it');

    console.log(JSON.stringify([...called]));
}

run().catch((error) => {
    console.error(error.stack);
    process.exitCode = 1;
});
