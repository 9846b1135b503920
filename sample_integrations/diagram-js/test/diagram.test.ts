import { assert, test } from 'devkit:test';

test('a reader sees the frame alone', ({ integration }) => {
    const page = integration.render('diagram', { props: { content: 'A -> B', direction: 'down' } });
    assert.deepEqual(page.state, { content: 'A -> B', direction: 'down' });
    const [frame, ...others] = page.tree.children;
    assert.deepEqual([frame.type, others], ['webframe', []]);
    assert.equal(frame.source.url, `${integration.endpoints.space}/frame`);
    const bound = { content: { $state: 'content' }, direction: { $state: 'direction' } };
    assert.deepEqual(frame.data, { ...bound, theme: 'light' });
});

test('an editor gets the text and the choice of direction', ({ integration }) => {
    const page = integration.render('diagram', { editable: true });
    const code = page.find('codeblock');
    assert.deepEqual([code.state, page.find('webframe').type], ['content', 'webframe']);
    const options: { id: string }[] = page.find('select').options;
    assert.deepEqual(options.map((option) => option.id), ['right', 'down']);
    page.type('content', 'A -> B').select('direction', 'down');
    assert.deepEqual(page.stored, { content: 'A -> B', direction: 'down' });
    page.click(page.find('button').label);
    assert.match(page.state.content, /^Browser -> Server/);
    assert.equal(page.state.direction, 'down');
});

test('the frame and the published script are served', ({ integration }) => {
    const page = integration.fetch('/frame', { at: 'space' });
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(page.text, /@webframe\.ready/);
    assert.equal(integration.fetch('/other', { at: 'space' }).status, 404);
    const script = integration.publishedScript();
    assert.equal(script.headers['content-type'], 'application/javascript');
    assert.match(script.text, /code\.language-diagram/);
});
