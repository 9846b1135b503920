import { assert, test } from 'devkit:test';

test('every page that is listed can be read', ({ integration }) => {
    const glossary = integration.contentSource('glossary');
    const [group] = glossary.revision({ title: 'Words' }).pages;
    assert.deepEqual([group.title, group.pages.length], ['Words', 3]);
    for (const page of group.pages) {
        assert.equal(page.computed.type, 'integration:my-integration:glossary');
        assert.match(glossary.document(page.computed.props).markdown, /## See also/);
    }
});

test('a term that is gone is reported', ({ integration }) => {
    const glossary = integration.contentSource('glossary');
    integration.refused(() => glossary.document({ term: 'gone' }), 'There is no such term any more', 404);
});

test('the screen returns the properties of the source', ({ integration }) => {
    const props = { contentSource: { props: { title: 'Words' }, dependencies: {} }, submitLabel: 'Change' };
    const page = integration.render('setup', { props, context: 'configuration_contentsource' });
    assert.deepEqual(page.state, { title: 'Words' });
    integration.refused(() => page.type('Title of the group', '').click('Change'), 'Give the group a title');
    assert(page.type('Title of the group', ' Terms ').click('Change').finished);
    assert.deepEqual(page.returned, { props: { title: 'Terms' }, dependencies: {} });
});
