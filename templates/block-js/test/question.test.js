import assert from 'node:assert/strict';
import { test } from 'node:test';

import { build } from 'esbuild';

// Built as it is for publishing, and called as the platform calls it.
const built = await build({
    entryPoints: ['src/index.tsx'],
    bundle: true,
    write: false,
    platform: 'neutral',
    format: 'esm',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'import'],
    jsx: 'automatic',
    jsxImportSource: '@gitbook/runtime',
    define: { MODE: '"production"', 'process.env.NODE_ENV': '"production"' },
});
const code = Buffer.from(built.outputFiles[0].contents).toString('base64');
const { default: script } = await import(`data:text/javascript;base64,${code}`);

async function render({ editable = false, ...fields } = {}) {
    const context = { type: 'document', spaceId: 'space', editable, theme: 'light' };
    const event = {
        eventId: 'e',
        type: 'ui_render',
        installationId: 'inst1',
        spaceId: 'space',
        componentId: 'question',
        props: {},
        context,
        ...fields,
    };
    const environment = {
        apiEndpoint: 'https://host.example',
        apiTokens: { integration: 't1', installation: 't2' },
        integration: { name: 'my-integration', version: 1, urls: {} },
        secrets: {},
    };
    const body = new FormData();
    body.set('event', JSON.stringify(event));
    body.set('environment', JSON.stringify(environment));
    const request = new Request('https://host.example/v1', { method: 'POST', body });
    const answer = await script.fetch(request, {}, { waitUntil() {} });
    assert.equal(answer.status, 200);
    return answer.json();
}

test('readers uncover the answer', async () => {
    let shown = await render({ props: { question: 'Why?', answer: 'Because.' } });
    assert.match(JSON.stringify(shown.element), /Why\?/);
    assert.doesNotMatch(JSON.stringify(shown.element), /Because/);
    shown = await render({ state: shown.state, action: { action: 'toggle' } });
    assert.match(JSON.stringify(shown.element), /Because/);
});

test('editors fill in the fields', async () => {
    const { element } = await render({ editable: true });
    const save = element.children[0].children.find((part) => part.label === 'Save');
    assert.deepEqual(save.onPress.props, {
        question: { $state: 'question' },
        answer: { $state: 'answer' },
    });
});
