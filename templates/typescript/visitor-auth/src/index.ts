import {
    createIntegration,
    ExposableError,
    type FetchVisitorAuthenticationEventCallback,
    type RuntimeContext,
} from '@gitbook/runtime';
import { base64url, createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from 'jose';

/** How long somebody stays signed in. */
const STAYS = '8h';
/** The cookie that keeps, until the visitor is back, what proves that it was their browser that asked. */
const KEPT = 'visitor_sign_in';

type Provider = { issuer: string; authorization_endpoint: string; token_endpoint: string; jwks_uri: string };

// Comes when somebody without a session opens the site.
const begin: FetchVisitorAuthenticationEventCallback = async (event, context) => {
    if (event.action === 'logout') {
        // The site has forgotten the visitor; a provider with an address for signing out may be sent to instead.
        return Response.redirect(await publishedAddress(context));
    }
    const verifier = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
    const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    const address = new URL((await provider(context)).authorization_endpoint);
    const query = {
        client_id: context.environment.secrets.OIDC_CLIENT_ID,
        redirect_uri: wayBack(context),
        response_type: 'code',
        scope: 'openid profile email',
        state: event.location ?? '',
        code_challenge: base64url.encode(new Uint8Array(challenge)),
        code_challenge_method: 'S256',
    };
    address.search = new URLSearchParams(query).toString();
    const cookie = `${KEPT}=${verifier}; Max-Age=600; HttpOnly; SameSite=Lax`;
    return new Response(null, { status: 302, headers: { Location: address.toString(), 'Set-Cookie': cookie } });
};

async function comeBack(request: Request, context: RuntimeContext): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const code = query.get('code');
    if (!code) {
        throw new ExposableError(`The sign-in was refused: ${query.get('error') ?? 'no code came back'}`, 403);
    }
    const claims = await identify(code, cookie(request, KEPT), context);
    const address = new URL(await publishedAddress(context));
    // As a path it stays on the site, whatever the state was made into on the way.
    address.pathname += (query.get('state') ?? '').replace(/^\/+/, '');
    address.searchParams.set('jwt_token', await token(claims, context));
    return Response.redirect(address.toString());
}

/** Exchanges a code for what the provider says of the visitor. */
async function identify(code: string, verifier: string, context: RuntimeContext): Promise<JWTPayload> {
    const { secrets } = context.environment;
    const known = await provider(context);
    const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: wayBack(context),
        client_id: secrets.OIDC_CLIENT_ID,
        client_secret: secrets.OIDC_CLIENT_SECRET,
    });
    const answer = await fetch(known.token_endpoint, { method: 'POST', body: form });
    if (!answer.ok) {
        console.error(`the provider answered ${answer.status}: ${await answer.text()}`);
        throw notAccepted();
    }
    const { id_token: signed } = (await answer.json()) as { id_token: string };
    const keys = (await (await fetch(known.jwks_uri)).json()) as JSONWebKeySet;
    try {
        const expected = { algorithms: ['RS256'], audience: secrets.OIDC_CLIENT_ID, issuer: known.issuer };
        const { payload } = await jwtVerify(signed, createLocalJWKSet(keys), expected);
        return payload;
    } catch (error) {
        console.error(`the provider's token is not for this site: ${error}`);
        throw notAccepted();
    }
}

function notAccepted(): ExposableError {
    return new ExposableError('The identity provider did not accept this sign-in; begin again', 403);
}

async function provider({ environment }: RuntimeContext): Promise<Provider> {
    // An address that begins with "/" is on the host: `devkit dev` brings an identity provider to try things with.
    const issuer = new URL(environment.secrets.OIDC_ISSUER, environment.apiEndpoint).toString();
    const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    return (await answer.json()) as Provider;
}

function wayBack(context: RuntimeContext): string {
    return `${onSite(context).urls.publicEndpoint}/visitor-auth/response`;
}

function onSite({ environment }: RuntimeContext) {
    if (!environment.siteInstallation) {
        throw new ExposableError('This is not installed on the site', 404);
    }
    return environment.siteInstallation;
}

/** The site's address; ends with a slash. */
async function publishedAddress(context: RuntimeContext): Promise<string> {
    const organization = context.environment.installation?.target.organization ?? '';
    const { data: site } = await context.api.orgs.getSiteById(organization, onSite(context).site);
    if (!site.urls.published) {
        throw new ExposableError('This site is not published', 404);
    }
    return `${site.urls.published.replace(/\/+$/, '')}/`;
}

/** Signs what the site may know of the visitor; only this site's secret opens this site. */
async function token(claims: JWTPayload, { environment }: RuntimeContext): Promise<string> {
    const secret = environment.signingSecrets.siteInstallation;
    if (!secret) {
        throw new ExposableError('This is not installed on the site', 404);
    }
    const known = ['sub', 'name', 'email', 'groups'].filter((name) => name in claims);
    return new SignJWT(Object.fromEntries(known.map((name) => [name, claims[name]])))
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(STAYS)
        .sign(new TextEncoder().encode(secret));
}

function cookie(request: Request, name: string): string {
    const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/);
    return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

export default createIntegration({
    events: {
        site_installation_setup: async (event, context) => {
            // Providers want to know in advance where they may send visitors back to.
            console.log(`visitors come back to ${wayBack(context)}`);
        },
    },
    fetch_visitor_authentication: begin,
    fetch: async (request, context) => {
        if (new URL(request.url).pathname.endsWith('/visitor-auth/response')) {
            return comeBack(request, context);
        }
        return new Response('There is nothing here', { status: 404 });
    },
});
