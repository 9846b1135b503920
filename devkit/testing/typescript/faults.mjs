// What goes wrong, as a test hears of it: shown where the test calls.
import { AssertionError } from 'node:assert';

export class Refused extends Error {
    constructor(status, reason) {
        super(`${status}: ${reason}`);
        Object.assign(this, { name: 'Refused', status, reason });
    }
}

export class ScriptFailed extends Error {
    name = 'ScriptFailed';
}

const FAULTS = {
    refused: ({ status, message }) => new Refused(status, message),
    script: ({ message }) => new ScriptFailed(message),
    assertion: ({ message }) => new AssertionError({ message }),
    use: ({ message }) => new Error(message),
};

const raised = new WeakSet();

/** Make an error of what was answered: its kind, its message. */
export function fault(answered) {
    const error = FAULTS[answered.kind](answered);
    raised.add(error);
    return error;
}

/** Have what goes wrong shown where the test calls, not where it is noticed in here. */
export function told(verb) {
    return function called(...words) {
        try {
            return verb.apply(this, words);
        } catch (error) {
            if (raised.has(error)) {
                Error.captureStackTrace(error, called);
            }
            throw error;
        }
    };
}

/** Do so for all that a class offers. */
export function offered(type) {
    for (const [name, { get, set, value }] of Object.entries(Object.getOwnPropertyDescriptors(type.prototype))) {
        if (name !== 'constructor') {
            const verb = get ? { get: told(get), set: set && told(set) } : { value: told(value) };
            Object.defineProperty(type.prototype, name, verb);
        }
    }
}
