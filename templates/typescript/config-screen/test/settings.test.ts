import { assert, type Integration, type JsonObject, test } from 'devkit:test';

function screen(integration: Integration, configuration: JsonObject) {
    integration.configuration = configuration;
    return integration.render('settings', { context: 'configuration_account' });
}

test('it begins with what was saved', ({ integration }) => {
    const saved = { project: 'atlas', address: 'a@example.com', digest: false };
    assert.deepEqual(screen(integration, saved).state, saved);
});

for (const [project, address, message] of [
    ['', 'a@b', 'Choose a project'],
    ['nothing', 'a@b', 'Choose a project'],
    ['atlas', 'a', 'e-mail address'],
]) {
    test(`the project '${project}' with the address '${address}' is refused`, ({ integration }) => {
        const page = screen(integration, {}).select('Project', project).type('Send reports to', address);
        integration.refused(() => page.click('Save'), message, 400);
    });
}

test('saving keeps the rest of the configuration', ({ integration }) => {
    const page = screen(integration, { other: 1 });
    page.select('Project', 'atlas').type('Send reports to', 'a@example.com').switch('Weekly digest', false);
    assert(page.click('Save').finished);
    const saved = { other: 1, project: 'atlas', address: 'a@example.com', digest: false };
    assert.deepEqual(integration.configuration, saved);
});

test('projects are found by what was typed', ({ integration }) => {
    const response = integration.fetch('/projects', { query: { q: 'bor' } });
    assert.deepEqual([response.status, response.json], [200, { items: [{ id: 'borealis', label: 'Borealis' }] }]);
});
