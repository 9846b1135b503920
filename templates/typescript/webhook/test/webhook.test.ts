import { assert, type FetchOptions, type Integration, test } from 'devkit:test';

const SECRET = 'a secret';
const SIGNED = { sign: 'github', secret: SECRET } as const;

function post(integration: Integration, body: string, options: FetchOptions) {
    integration.secrets.WEBHOOK_SECRET = SECRET;
    return integration.fetch('/hook', { body, at: 'integration', ...options });
}

test('a signed message is worked off in a task', ({ integration }) => {
    const message = { id: 'm1', text: 'hello' };
    const response = post(integration, JSON.stringify(message), SIGNED);
    assert.deepEqual([response.status, response.json], [200, { accepted: 'm1' }]);
    assert.deepEqual(response.tasks, [{ task: { message }, schedule: 0 }]);
    const [worked] = integration.runTasks();
    assert.equal(worked.status, 200);
    assert(worked.logs.includes('message m1: hello'));
});

for (const signature of ['', 'sha256=00', `sha256=${'0'.repeat(64)}`]) {
    test(`the signature '${signature}' is refused`, ({ integration }) => {
        const headers = { 'x-hub-signature-256': signature };
        assert.equal(post(integration, '{"id": "m1"}', { headers }).status, 401);
        assert.deepEqual(integration.tasks, []);
    });
}

for (const body of ['', '{', '[]', '{"id": 1}']) {
    test(`the message '${body}' is refused`, ({ integration }) => {
        assert.equal(post(integration, body, SIGNED).status, 400);
        assert.deepEqual(integration.tasks, []);
    });
}
