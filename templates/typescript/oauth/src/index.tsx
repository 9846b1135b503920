import {
    createComponent,
    createIntegration,
    createOAuthHandler,
    ExposableError,
    getOAuthToken,
    type OAuthConfiguration,
    type RuntimeContext,
    type RuntimeEnvironment,
} from '@gitbook/runtime';

type Configuration = { oauth_credentials?: OAuthConfiguration };
type Context = RuntimeContext<RuntimeEnvironment<Configuration>>;
/** What the service answers about a token; many services have tokens that do not end. */
type Token = { access_token: string; refresh_token?: string; expires_in: number };

function provider({ environment }: Context) {
    const { secrets } = environment;
    // An address that begins with "/" is on the host: `devkit dev` brings an identity provider to try things with.
    const address = (secret: string) => new URL(secret, environment.apiEndpoint).toString();
    return {
        clientId: secrets.OAUTH_CLIENT_ID,
        clientSecret: secrets.OAUTH_CLIENT_SECRET,
        authorizeURL: address(secrets.OAUTH_AUTHORIZE_URL),
        accessTokenURL: address(secrets.OAUTH_TOKEN_URL),
        scopes: ['read:user'],
        extractCredentials: ({ access_token, refresh_token, expires_in }: Token) => ({
            configuration: {
                oauth_credentials: {
                    access_token,
                    ...(refresh_token ? { refresh_token } : {}),
                    ...(expires_in ? { expires_at: new Date(Date.now() + expires_in * 1000).toISOString() } : {}),
                },
            },
        }),
    };
}

// The button on the configuration screen leads here, and so does the service when somebody has agreed. The token is kept
// in the installation's configuration, which the platform encrypts; `replace: false` leaves the rest of it as it is.
async function connect(request: Request, context: Context): Promise<Response> {
    const refused = new URL(request.url).searchParams.get('error');
    if (refused) {
        throw new ExposableError(`The sign-in was refused: ${refused}`);
    }
    return createOAuthHandler(provider(context), { replace: false })(request, context);
}

const profile = createComponent<{}, {}, void, Context>({
    componentId: 'profile',
    render: async (element, context) => {
        const { installation, secrets, apiEndpoint } = context.environment;
        if (!installation) {
            throw new ExposableError('Install the integration first');
        }
        const credentials = installation.configuration.oauth_credentials;
        if (!credentials) {
            return (
                <block>
                    <hint>
                        <text>This is not connected yet</text>
                    </hint>
                    <button
                        label="Connect"
                        onPress={{ action: '@ui.url.open', url: `${installation.urls.publicEndpoint}/oauth` }}
                    />
                </block>
            );
        }
        const token = await getOAuthToken(credentials, provider(context), context); // renewed when it is about to end
        const answer = await fetch(new URL(secrets.API_URL, apiEndpoint), {
            headers: { Authorization: `Bearer ${token}` },
        });
        if (!answer.ok) {
            console.error(`the service answered ${answer.status}`);
            throw new ExposableError('The service did not answer as expected; connect the account again', 502);
        }
        const user = (await answer.json()) as { name?: string; login?: string };
        return (
            <block>
                <card title={user.name || user.login || 'Somebody'} hint="is connected" />
            </block>
        );
    },
});

export default createIntegration<Context>({
    components: [profile],
    fetch: async (request, context) => {
        if (new URL(request.url).pathname.endsWith('/oauth')) {
            return connect(request, context);
        }
        return new Response('There is nothing here', { status: 404 });
    },
});
