import { assert, test } from 'devkit:test';

test('readers uncover the answer', ({ integration }) => {
    const page = integration.render('question', { props: { question: 'Why?', answer: '*Because.*' } });
    assert.match(page.text, /Why\?/);
    assert.doesNotMatch(page.text, /Because/);
    assert.match(page.click('Show the answer').text, /\*Because\.\*/);
    assert.doesNotMatch(page.click('Hide').text, /Because/);
});

test('editors fill in the fields', ({ integration }) => {
    const page = integration.render('question', { editable: true });
    page.type('Question', 'Who?').type('Answer', 'Me.').click('Save');
    assert.deepEqual(page.stored, { question: 'Who?', answer: 'Me.' });
});
