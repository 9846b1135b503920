import { assert, test } from 'devkit:test';

const PAGE = 'https://docs.example.com/page';

test("new content is reported with the space's title", ({ integration, api }) => {
    api.answers('GET', '/v1/spaces/{id}', { title: 'Handbook' });
    const result = integration.event('space_content_updated', { revisionId: 'rev1' });
    assert.equal(result.status, 200);
    assert(result.logs.includes('Handbook has a new revision, rev1'));
});

test('only bad ratings are reported', ({ integration }) => {
    const reported = (feedback: { rating: string; comment?: string }) =>
        integration.event('page_feedback', { url: PAGE, feedback }).logs.filter((line) => line.includes(PAGE));
    assert.deepEqual(reported({ rating: 'good' }), []);
    assert.deepEqual(reported({ rating: 'bad', comment: 'Too short' }), [`${PAGE} was rated bad: Too short`]);
});

test('only the first setup is reported', ({ integration }) => {
    const line = `installed on space ${integration.space.id}`;
    assert(integration.event('space_installation_setup', { previous: null }).logs.includes(line));
    const again = integration.event('space_installation_setup', { previous: { status: 'paused' } });
    assert(!again.logs.includes(line));
});

test('a failure is answered so that the event comes again', ({ integration, api }) => {
    api.answers('GET', '/v1/spaces/{id}', { error: { code: 404, message: 'no such space' } }, { status: 404 });
    assert.equal(integration.event('space_content_updated', {}, { check: false }).status, 500);
});
