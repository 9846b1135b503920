import { assert, type Fixtures, type Integration, test } from 'devkit:test';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';

const ISSUER = 'https://login.example';
const KEYS = await generateKeyPair('RS256');
const PUBLISHED = { ...(await exportJWK(KEYS.publicKey)), kid: '1', alg: 'RS256' };

function idToken(audience: string): Promise<string> {
    return new SignJWT({ name: 'Ada' })
        .setProtectedHeader({ alg: 'RS256', kid: '1' })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject('1')
        .setExpirationTime('1m')
        .sign(KEYS.privateKey);
}

const TOKENS: Record<string, string> = { proof: await idToken('id'), 'for another': await idToken('another') };

/** One published site, and a provider that takes the code `good`. */
function installed({ integration, api }: Fixtures) {
    integration.secrets = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    api.answers('GET', '/v1/orgs/{org}/sites/{site}', { urls: { published: 'https://docs.example/guide/' } });
    api.answers('GET', `${ISSUER}/.well-known/openid-configuration`, {
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        token_endpoint: `${ISSUER}/token`,
        jwks_uri: `${ISSUER}/keys`,
    });
    api.answers('GET', `${ISSUER}/keys`, { keys: [PUBLISHED] });
    api.answers('POST', `${ISSUER}/token`, ({ form }) =>
        form.code === 'good' && form.code_verifier in TOKENS
            ? { id_token: TOKENS[form.code_verifier] }
            : api.reply({ error: 'invalid_grant' }, { status: 400 }),
    );
    return integration;
}

function comeBack(integration: Integration, query: Record<string, string>, cookie = 'visitor_sign_in=proof') {
    return integration.fetch('/visitor-auth/response', { query, headers: { cookie }, at: 'site' });
}

test('a visitor is sent to the provider', (fixtures) => {
    const integration = installed(fixtures);
    const sent = integration.visitorAuthentication('a/page');
    const { origin, pathname, searchParams } = new URL(sent.location ?? '');
    assert.deepEqual([sent.status, origin + pathname], [302, `${ISSUER}/authorize`]);
    assert.equal(searchParams.get('redirect_uri'), `${integration.endpoints.site}/visitor-auth/response`);
    assert.deepEqual([searchParams.get('client_id'), searchParams.get('state')], ['id', 'a/page']);
    assert.equal(searchParams.get('code_challenge')?.length, 43);
});

test('who signed in is led back with a token', async (fixtures) => {
    const integration = installed(fixtures);
    const sent = comeBack(integration, { code: 'good', state: 'a/page' });
    const address = new URL(sent.location ?? '');
    assert.deepEqual([sent.status, address.origin + address.pathname], [302, 'https://docs.example/guide/a/page']);
    const secret = new TextEncoder().encode(integration.environment('site').signingSecrets.siteInstallation);
    const { payload } = await jwtVerify(address.searchParams.get('jwt_token') ?? '', secret);
    assert.deepEqual([payload.sub, payload.name], ['1', 'Ada']);
});

const ELSEWHERE = {
    'an old code': ['bad', 'visitor_sign_in=proof'],
    'another browser': ['good', 'other=1'],
    'another client': ['good', 'visitor_sign_in=for another'],
};
for (const [what, [code, cookie]] of Object.entries(ELSEWHERE)) {
    test(`a sign-in with ${what} leads nowhere`, (fixtures) => {
        const response = comeBack(installed(fixtures), { code }, cookie);
        assert.deepEqual([response.status, response.location], [403, null]);
        assert.match(response.error, /begin again/);
    });
}

test('a refused sign-in is reported', (fixtures) => {
    const response = comeBack(installed(fixtures), { error: 'access_denied' });
    assert.equal(response.status, 403);
    assert.match(response.error, /access_denied/);
});
