// One integration that uses all that the published runtime offers.
import {
    createComponent,
    createContentSource,
    createIntegration,
    createOAuthHandler,
    ExposableError,
    type OAuthConfig,
    type RuntimeContext,
    type RuntimeEnvironment,
} from '@gitbook/runtime';

import shown from './shown.raw.js';

type Configuration = { provider?: string; word?: string };
type Task = { type: 'count'; left: number };
type Context = RuntimeContext<RuntimeEnvironment<Configuration>, Task>;

const counter = createComponent<{ step?: number }, { count: number }, { action: 'add'; by: number } | { action: 'end' }, Context>({
    componentId: 'counter',
    initialState: (props) => ({ count: props.step ?? 0 }),
    action: async (element, action) => {
        switch (action.action) {
            case 'add':
                return { state: { count: element.state.count + action.by } };
            case 'end':
                return { type: 'complete', returnValue: { count: element.state.count } };
        }
    },
    render: async (element, { environment }) => {
        element.setCache({ maxAge: 60 });
        return (
            <block>
                {null}
                <text>{`${environment.integration.name}: ${element.state.count}`}</text>
                <button label="Add" onPress={{ action: 'add', by: 2 }} />
            </block>
        );
    },
});

const refusing = createComponent({
    componentId: 'refusing',
    render: async () => {
        throw new ExposableError('Not on Sundays.', 422);
    },
});

const failing = createComponent({
    componentId: 'failing',
    render: async () => {
        throw new Error('secret detail');
    },
});

const pages = createContentSource<{ title?: string }, { title?: string }, {}, Context>({
    sourceId: 'pages',
    getRevision: async ({ props }) => ({
        pages: [{ type: 'document', title: props.title ?? 'Untitled', computed: { type: 'integration:everything:pages', props } } as never],
    }),
    getPageDocument: async ({ props }, { environment }) => ({
        markdown: `# ${props.title ?? 'Untitled'} by ${environment.integration.name}`,
    }),
});

const provider = (context: Context) => context.environment.secrets.PROVIDER;

const oauth = (context: Context, form: 'text' | 'function'): OAuthConfig => ({
    clientId: 'the-client',
    clientSecret: context.environment.secrets.CLIENT_SECRET,
    authorizeURL: form === 'text' ? `${provider(context)}/authorize` : (installation) => `${provider(context)}/authorize?for=${installation.id}`,
    accessTokenURL: form === 'text' ? `${provider(context)}/token` : (installation) => `${provider(context)}/token?for=${installation.id}`,
    scopes: ['read', 'write'],
    prompt: 'consent',
});

const encoded = (value: string | ArrayBuffer) =>
    btoa(typeof value === 'string' ? value : String.fromCharCode(...new Uint8Array(value)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');

async function signed(claims: object, secret: string): Promise<string> {
    const text = `${encoded(JSON.stringify({ alg: 'HS256', typ: 'JWT' }))}.${encoded(JSON.stringify(claims))}`;
    const bytes = (value: string) => new TextEncoder().encode(value);
    const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return `${text}.${encoded(await crypto.subtle.sign('HMAC', key, bytes(text)))}`;
}

export default createIntegration<Context>({
    components: [counter, refusing, failing],
    contentSources: [pages],
    fetch: async (request, context) => {
        const { pathname } = new URL(request.url);
        if (pathname.endsWith('/oauth')) {
            return createOAuthHandler(oauth(context, 'text'))(request, context);
        }
        if (pathname.endsWith('/oauth-keep')) {
            return createOAuthHandler(oauth(context, 'function'), { replace: false })(request, context);
        }
        if (pathname.endsWith('/task')) {
            await context.integration.queueTask({ task: { type: 'count', left: 2 }, schedule: 0 });
            return new Response('queued', { status: 202 });
        }
        throw new ExposableError('There is nothing here.', 404);
    },
    fetch_published_script: async (event, { environment }) => {
        const word = (environment.siteInstallation?.configuration as Configuration).word;
        if (!word) {
            return undefined as never;
        }
        return new Response(shown.replace('<word>', word), {
            headers: { 'Content-Type': 'application/javascript', 'Cache-Control': 'max-age=604800' },
        });
    },
    fetch_visitor_authentication: async (event, { api, environment }) => {
        const { installation, siteInstallation } = environment;
        const site = await api.orgs.getSiteById(installation!.target.organization, siteInstallation!.site as string);
        const token = await signed(
            { email: 'reader@example.com', exp: Math.floor(Date.now() / 1000) + 3600 },
            environment.signingSecrets.siteInstallation!,
        );
        return Response.redirect(`${site.data.urls.published}${event.location ?? ''}?jwt_token=${token}`);
    },
    task: async (task, { integration }) => {
        console.log('left', task.left);
        if (task.left > 0) {
            await integration.queueTask({ task: { type: 'count', left: task.left - 1 } });
        }
    },
    events: {
        installation_setup: [
            async (event, { environment, api }) => {
                const { data } = await api.integrations.getIntegrationInstallationById(
                    environment.integration.name,
                    event.installationId,
                );
                console.info('set up', data.status);
            },
            async (_event, { waitUntil }) => {
                waitUntil(
                    new Promise<void>((resolve) =>
                        setTimeout(() => {
                            console.warn('after the answer');
                            resolve();
                        }, 50),
                    ),
                );
            },
        ],
    },
});
