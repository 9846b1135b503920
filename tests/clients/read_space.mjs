// Reads a whole space with the published client: `{ endpoint, token, space }` in, the Markdown of each page by its path out.
import { readFileSync } from 'node:fs';

import { GitBookAPI } from '@gitbook/api';

const { endpoint, token, space } = JSON.parse(readFileSync(0, 'utf8'));
const client = new GitBookAPI({ endpoint, authToken: token });
const read = {};

async function walk(pages) {
    for (const page of pages) {
        if (page.type === 'document') {
            const { data } = await client.spaces.getPageById(space, page.id, { format: 'markdown' });
            read[page.path] = data.markdown;
        }
        await walk(page.pages ?? []);
    }
}

async function run() {
    const { data } = await client.spaces.getCurrentRevision(space);
    await walk(data.pages);
    console.log(JSON.stringify(read));
}

run();
