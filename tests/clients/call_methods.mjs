// Calls methods of the published client by name: reads `{ endpoint, tokens, calls }`, writes what each call came to.
import { readFileSync } from 'node:fs';

import { GitBookAPI } from '@gitbook/api';

const { endpoint, tokens, calls } = JSON.parse(readFileSync(0, 'utf8'));
const clients = {};
for (const [kind, authToken] of Object.entries(tokens)) {
    clients[kind] = new GitBookAPI({ endpoint, authToken });
}

/** Find a method in whichever of the client's families has it; its spelling differs in capitals. */
function find(client, name) {
    for (const family of Object.values(client)) {
        if (typeof family !== 'object' || family === null) continue;
        const method = Object.keys(family).find((key) => key.toLowerCase() === name.toLowerCase());
        if (method && typeof family[method] === 'function') return family[method];
    }
}

async function run() {
    const came = {};
    for (const { name, token, values } of calls) {
        try {
            came[name] = (await find(clients[token], name)(...values)).status;
        } catch (error) {
            came[name] = String(error?.message ?? error);
        }
    }
    console.log(JSON.stringify(came));
}

run();
