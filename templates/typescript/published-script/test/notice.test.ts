import { assert, type Integration, test } from 'devkit:test';

/** Asks for the script as the platform does when a reader's browser loads it. */
function script(integration: Integration, configuration: { text?: string }): string {
    integration.site.configuration = configuration;
    const response = integration.publishedScript();
    assert.deepEqual([response.status, response.headers['content-type']], [200, 'application/javascript']);
    return response.text;
}

test("the script carries the site's text", ({ integration }) => {
    assert(script(integration, { text: ' We moved ' }).endsWith('("We moved");\n'));
    assert(script(integration, {}).endsWith('("Welcome!");\n'));
});

test('a text cannot become code', ({ integration }) => {
    assert(script(integration, { text: '"); alert(1); ("' }).endsWith('("\\"); alert(1); (\\"");\n'));
});

test('without a text there is no script', ({ integration }) => {
    assert.equal(script(integration, { text: '' }), '/** no-op */');
});
