import { assert, type Integration, test } from 'devkit:test';

const URL = 'https://team.tracker.example.com/tickets/2';

function paste(integration: Integration, url: string) {
    return integration.render('ticket', { editable: true, action: { action: '@link.unfurl', url } });
}

test('a pasted link becomes a card', ({ integration }) => {
    const page = paste(integration, URL);
    assert.deepEqual(page.stored, { number: '2', url: URL });
    const card = page.find('card');
    assert.deepEqual([card.title, card.hint], ['Pages load twice', 'Ticket 2, done']);
    assert.deepEqual(page.click('Pages load twice').opened, [URL]);
    assert.deepEqual(integration.render('ticket', { props: page.stored ?? {} }).tree, page.tree);
});

for (const path of ['/', '/tickets/', '/tickets/x', '/tickets/1/edit']) {
    test(`the address ${path} stays a link`, ({ integration }) => {
        const act = () => paste(integration, `https://tracker.example.com${path}`);
        integration.refused(act, 'not the address of a ticket', 400);
    });
}

test('a ticket that is gone is reported', ({ integration }) => {
    const page = integration.render('ticket', { props: { number: '9', url: URL } });
    assert.match(page.text, /There is no ticket 9/);
});
