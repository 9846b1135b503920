// `devkit:test`, with the types of devkit-test.d.ts.
import { strict as assert } from 'node:assert';
import vm from 'node:vm';

import { ask } from './channel.mjs';
import { Refused, ScriptFailed } from './faults.mjs';
import { begin } from './verbs.mjs';

export { assert, Refused, ScriptFailed };

/** Write an error with the calls that led to it in the author's files. */
function written(error) {
    const lines = String(error?.stack ?? error).split('\n');
    return lines.filter((line) => !/^\s+at .*\(?(?:ext|node):/.test(line)).join('\n');
}

/** Describe a test to Deno; `more` are options of its own. */
function described(more, name, body) {
    if (typeof name !== 'string' || name === '' || typeof body !== 'function') {
        throw new TypeError('a test has a name and a body: test("it draws", ({ integration }) => { ... })');
    }
    const fn = async ({ origin }) => {
        let outcome = { outcome: 'passed' };
        const fixtures = begin(origin, name);
        try {
            await body(fixtures);
        } catch (error) {
            outcome = { outcome: 'failed', message: written(error) };
            throw error;
        } finally {
            ask({ verb: 'end', with: outcome });
        }
    };
    // What a test leaves open ends with its file; nobody who does not know Deno would know what it means.
    return { name, fn, sanitizeOps: false, sanitizeResources: false, ...more };
}

// Deno names the place of a test by the first call that has an address. These have none, so it is the author's line.
const define = vm.runInThisContext('(described, more) => (name, body) => Deno.test(described(more, name, body))', {
    filename: 'devkit',
});

export const test = Object.assign(define(described, {}), {
    skip: define(described, { ignore: true }),
    only: define(described, { only: true }),
});
