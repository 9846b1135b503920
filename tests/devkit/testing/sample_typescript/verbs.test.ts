import { assert, Refused, ScriptFailed, test } from 'devkit:test';

import { TITLE } from './src/title';

test('controls write the state', ({ integration }) => {
    const page = integration.render('form');
    assert.equal(page.state.color, 'red');
    page.type('name', 'Ada').select('Color', 'blue').check('One').check('Two').check('One', null, false);
    assert.deepEqual([page.state.name, page.state.color, page.state.kinds], ['Ada', 'blue', ['two']]);
    assert.match(page.text, /^Ada Open/);
    assert.equal(page.switch('Loud').find('hint').children[0].children[0], 'LOUD');
    assert.match(page.type('Text', 'print(1)').text, /print\(1\)$/);
    assert.equal(page.findAll('input').length, 6);
    assert.equal(page.find('button', { label: 'Never', disabled: true }).label, 'Never');
});

test('what is pressed is done as a host does it', ({ integration }) => {
    const page = integration.render('form', { props: { of: 'me' } });
    assert.deepEqual(page.click('Manual').opened, ['https://example.com/manual']);
    page.type('Name', 'Ada').click('Save');
    assert.deepEqual([page.stored, page.props], [null, { name: 'Ada' }]);
    const edited = integration.render('form', { editable: true }).type('Name', 'Ada').click('Save');
    assert.deepEqual(edited.stored, { name: 'Ada' });
});

test('overlays open and close', ({ integration }) => {
    const page = integration.render('form', { props: { of: 'me' } }).click('Open');
    assert(page.modal);
    assert.match(page.modal.text, /Of me/);
    page.modal.type('Answer', 'fine').click('OK');
    assert.deepEqual([page.modal, page.state.greeting], [null, 'fine']);
    page.click('Open').modal?.close();
    assert.equal(page.state.greeting, 'dismissed');
    const overlay = page.click('Open').modal?.act('end');
    assert.deepEqual([overlay?.finished, overlay?.returned, page.state.greeting], [true, { answer: 'ended' }, 'ended']);
    assert.equal(integration.render('steps').step('second').output.state.step, 'second');
    assert.equal(integration.render('wrong', { check: false }).tree.children[0].type, 'buton');
});

test('a refusal leaves the screen as it was', ({ integration }) => {
    const page = integration.render('form').type('Name', 'Ada');
    assert.throws(() => page.click('Forget'), (error: unknown) => {
        assert(error instanceof Refused);
        assert.deepEqual([error.status, error.reason], [422, 'Nothing to forget']);
        return true;
    });
    assert.equal(page.state.name, 'Ada');
    integration.refused(() => page.click('Forget'), 'forget', 422);
    assert.throws(() => integration.refused(() => page.switch('Loud')), /the script did not refuse/);
    assert.throws(() => page.act('crash'), ScriptFailed);
});

test('events are answered by route', ({ integration, api }) => {
    api.answers('GET', '/v1/spaces/{id}', (request) => ({ title: `${request.parameters.id} ${request.method}` }));
    const result = integration.event('space_content_updated', { revisionId: 'r1' });
    assert.deepEqual([result.status, result.ok, result.text], [200, true, 'OK']);
    assert(result.logs.includes(`${TITLE} 1: ${integration.space.id} GET`));
    assert(result.logged.some((line) => line.level === 'warn'));
    assert.equal(api.callsTo('/v1/spaces/{id}').length, 1);
    assert.match(api.calls[0].headers.authorization, /^Bearer /);
    assert(integration.event('space_content_updated').logs.some((line) => line.startsWith('Title 2')));
});

test('other hosts are answered and can be gone', ({ integration, api }) => {
    const address = 'https://hooks.example.com/x';
    assert.throws(() => integration.event('site_view'), /write api.answers\("POST", "https:\/\/hooks.example.com\/x"/);
    api.breaks('POST', address);
    assert(integration.event('site_view').logs.includes('nobody there'));
    api.answers('POST', address, new Uint8Array([79, 75]), { status: 201 });
    assert(integration.event('site_view').logs.includes('201 OK'));
    api.answers('*', address, (request) => api.reply(`${request.path} ${request.query.of} ${request.json.page}`));
    assert(integration.event('site_view').logs.includes('200 /x view p'));
    api.answers('POST', address, 'plain');
    assert(integration.event('site_view', {}, { check: true }).logs.includes('200 plain'));
    api.answers('POST', address, () => {
        throw new RangeError('mine');
    });
    assert.throws(() => integration.event('site_view'), RangeError);
    api.answers('POST', address, async () => 'late');
    assert.throws(() => integration.event('site_view'), /cannot be async/);
});

test('tasks come due as the clock goes', ({ integration, clock }) => {
    assert.equal(clock.now.toISOString(), '2026-01-01T00:00:00.000Z');
    const result = integration.task({ left: 2 });
    assert.deepEqual(result.tasks, [{ task: { left: 1 }, schedule: 60 }]);
    assert.deepEqual(integration.tasks, result.tasks);
    assert.equal(clock.advance(59).length, 0);
    assert.deepEqual(clock.advance(61).map((ended) => ended.logs.at(-1)), ['task 1', 'task 0']);
    assert.equal(clock.now.toISOString(), '2026-01-01T00:02:00.000Z');
    clock.set(new Date('2027-01-01T00:00:00Z'));
    assert.equal(clock.now.getUTCFullYear(), 2027);
    assert.deepEqual([integration.tasks, integration.runTasks(), integration.advance(1)], [[], [], []]);
});

test('a request sees the level it was sent to', ({ integration }) => {
    integration.configuration = { a: 1 };
    integration.space.configuration = { b: 2 };
    assert.deepEqual(integration.fetch('/who', { at: 'integration' }).json, { installed: false, configuration: {} });
    assert.deepEqual(integration.fetch('/who').json, { installed: true, configuration: { a: 1 } });
    assert.deepEqual(integration.fetch('who', { at: 'space' }).json.configuration, { a: 1, b: 2 });
    const { configuration } = integration;
    const sent = integration.fetch('/save', { json: { c: 3 } });
    assert.equal(sent.status, 302);
    assert.deepEqual([configuration, integration.configuration], [{ a: 1, c: 3 }, { a: 1, c: 3 }]);
    assert.deepEqual(integration.fetch(sent.location ?? '').json.configuration, { a: 1, c: 3 });
    assert.equal(integration.fetch('/other', { method: 'DELETE' }).error, 'There is nothing here');
});

test('bodies arrive as they are', ({ integration }) => {
    const bytes = new Uint8Array([0, 255, 10]);
    assert.deepEqual(integration.fetch('/echo', { body: bytes }).body, bytes);
    assert.equal(integration.fetch('/echo', { body: 'é' }).text, 'é');
    assert.equal(integration.fetch('/echo', { form: { a: '1 2' } }).text, 'a=1+2');
    const signed = integration.fetch('/echo', { body: 'x', sign: 'github', secret: 's', query: { q: '1' }, user: 'u' });
    assert.match(signed.headers['x-hub-signature-256'], /^sha256=[0-9a-f]{64}$/);
});

test('sites and content are asked for', ({ integration }) => {
    assert.equal(integration.publishedScript().text, '// Hello a test-NEVER_SET');
    integration.site.configuration.text = 'Bye';
    integration.secrets.KEY = 'key';
    assert.equal(integration.publishedScript().text, '// Bye key');
    assert.equal(integration.visitorAuthentication('a/b').location, 'https://login.example.com/a/b');
    const pages = integration.contentSource('pages');
    assert.deepEqual(pages.revision({ title: 'One' }), { pages: [{ type: 'document', id: 'a', title: 'One' }] });
    integration.refused(() => pages.document(), 'Gone', 404);
});

test('a scenario is played', ({ integration }) => {
    const [first, second] = integration.play('scenario.yaml');
    assert.deepEqual([first.logs.at(-1), second.json.installed], ['task 1', true]);
});

test('what the platform knows can be asked', ({ integration, golden }) => {
    assert.equal(integration.manifest.name, 'sample');
    assert.equal(integration.environment('site').siteInstallation.site, integration.site.id);
    assert.match(integration.endpoints.integration, /^https?:/);
    golden(integration.render('steps'), 'render');
    golden({ any: 'value' });
});

test('what a test writes wrong is reported', ({ integration, api }) => {
    const wrong: Record<string, () => unknown> = {
        "there is no event 'nothing'": () => integration.event('nothing' as any),
        '`revisionId` is missing': () => integration.event('space_content_updated', { revisionId: null }),
        "there is no context 'page'": () => integration.render('form', { context: 'page' as any }),
        'sign needs secret': () => integration.fetch('/who', { sign: 'github' }),
        'begins with /v1/': () => api.answers('GET', '/spaces/1'),
        "unexpected keyword argument 'porps'": () => integration.render('form', { porps: {} } as any),
        'a test has a name and a body': () => test('', () => undefined),
        "nothing can be pressed by the name 'Nothing'; there is 'Open'": () => integration.render('form').click('Nothing'),
        'renders something that ContentKit does not allow': () => integration.render('wrong'),
    };
    for (const [words, act] of Object.entries(wrong)) {
        assert.throws(act, (error: unknown) => error instanceof Error && error.message.includes(words), words);
    }
});

test.skip('what is skipped is not run', () => assert.fail('it was run'));
