// What verbs give back of calls and of requests.

class Message {
    #body;

    constructor({ headers, body }) {
        this.headers = headers;
        this.#body = Uint8Array.fromBase64(body);
    }

    get body() {
        return this.#body;
    }

    get text() {
        return new TextDecoder().decode(this.#body);
    }
}

/** How a call ended. */
export class Result extends Message {
    constructor({ status, logged, tasks, ...message }) {
        super(message);
        Object.assign(this, { status, logged, tasks });
    }

    get ok() {
        return this.status < 400;
    }

    get json() {
        return JSON.parse(this.text);
    }

    get error() {
        let sentence;
        try {
            sentence = this.json?.error;
        } catch (error) {
            if (!(error instanceof SyntaxError)) {
                throw error;
            }
        }
        return typeof sentence === 'string' ? sentence : '';
    }

    get location() {
        return this.headers.location ?? null;
    }

    get logs() {
        return this.logged.map((line) => line.message);
    }
}

/** A request of the script. */
export class ScriptRequest extends Message {
    constructor({ method, url, parameters, ...message }) {
        super(message);
        Object.assign(this, { method, url, parameters });
    }

    get path() {
        return new URL(this.url).pathname;
    }

    get query() {
        return Object.fromEntries(new URL(this.url).searchParams);
    }

    get json() {
        return this.text === '' ? null : JSON.parse(this.text);
    }

    get form() {
        return Object.fromEntries(new URLSearchParams(this.text));
    }
}
