import { assert, type Fixtures, test } from 'devkit:test';

const SERVICE = 'https://service.example';

/** The other service: tokens at /token, whom a token belongs to at /user. */
function service({ integration, api }: Fixtures) {
    integration.configuration = { other: 1 };
    integration.secrets = {
        OAUTH_CLIENT_ID: 'id',
        OAUTH_CLIENT_SECRET: 'secret',
        OAUTH_AUTHORIZE_URL: `${SERVICE}/authorize`,
        OAUTH_TOKEN_URL: `${SERVICE}/token`,
        API_URL: `${SERVICE}/user`,
    };
    api.answers('POST', `${SERVICE}/token`, ({ form }) => {
        assert.deepEqual([form.client_id, form.code ?? form.refresh_token], ['id', 'code1']);
        return { access_token: 'good', token_type: 'bearer' };
    });
    api.answers('GET', `${SERVICE}/user`, ({ headers }) =>
        headers.authorization === 'Bearer good' ? { name: 'Ada' } : api.reply({}, { status: 401 }),
    );
    return integration;
}

test('an account is connected and its name shown', (fixtures) => {
    const integration = service(fixtures);
    assert.match(integration.render('profile').text, /not connected yet/);
    const sent = integration.fetch('/oauth');
    const query = new URL(sent.location ?? '').searchParams;
    assert.deepEqual([sent.status, query.get('client_id')], [302, 'id']);
    assert.equal(query.get('redirect_uri'), `${integration.endpoints.installation}/oauth`);
    const back = integration.fetch('/oauth', { query: { code: 'code1', state: query.get('state') ?? '' } });
    assert.equal(back.status, 200);
    assert.deepEqual(integration.configuration, { other: 1, oauth_credentials: { access_token: 'good' } });
    assert.equal(integration.render('profile').find('card').title, 'Ada');
});

test('a token that has ended is renewed', (fixtures) => {
    const integration = service(fixtures);
    const ended = { access_token: 'old', refresh_token: 'code1', expires_at: '2020-01-01T00:00:00Z' };
    integration.configuration = { oauth_credentials: ended };
    assert.equal(integration.render('profile').find('card').title, 'Ada');
    assert.equal(integration.configuration.oauth_credentials.access_token, 'good');
});

test('a refused sign-in is reported', (fixtures) => {
    const response = service(fixtures).fetch('/oauth', { query: { error: 'access_denied' } });
    assert.equal(response.status, 400);
    assert.match(response.error, /access_denied/);
});

test('a token that is no longer good is reported', (fixtures) => {
    const integration = service(fixtures);
    integration.configuration = { oauth_credentials: { access_token: 'old' } };
    integration.refused(() => integration.render('profile'), 'connect the account again', 502);
});
