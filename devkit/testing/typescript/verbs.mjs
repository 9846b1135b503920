// What a test works with. `devkit test` does all of it, with the verbs that tests in Python have.
import { ask } from './channel.mjs';
import { fault, offered, Refused, told } from './faults.mjs';
import { Result, ScriptRequest } from './results.mjs';

class Reply {
    constructor(body, { status = 200, headers = {} } = {}) {
        Object.assign(this, { body, status, headers });
    }
}

/** Write a body so that its kind is not lost on the way. */
function packed(body) {
    if (body instanceof Uint8Array) {
        return { bytes: body.toBase64() };
    }
    return typeof body === 'string' ? { text: body } : { json: body ?? null };
}

/** One test: what it holds of the integration's settings, and the functions that answer requests. */
class Session {
    #held = {};
    #answering = [];

    /** Have a verb done, on `integration`, `api`, `clock`, `golden`, or what has been handed over by its number. */
    call(on, verb, words = [], named = {}) {
        const settings = this.#held;
        const answer = ask({ on, verb, with: words, named, settings }, (asked, request) => this.#answer(asked, request));
        // Who holds on to a configuration sees what the script has made of it.
        for (const [name, fresh] of Object.entries(answer.settings ?? {})) {
            for (const key of Object.keys(settings[name])) {
                delete settings[name][key];
            }
            Object.assign(settings[name], fresh);
        }
        if (answer.error !== undefined) {
            throw fault(answer.error);
        }
        return this.#taken(answer.value);
    }

    /** Give a setting as an object that may be changed. */
    setting(name) {
        this.#held[name] ??= this.call('integration', 'setting', [name]);
        return this.#held[name];
    }

    set(name, value) {
        this.#held[name] = structuredClone(value);
    }

    prepare(method, route, body, options) {
        if (typeof body !== 'function') {
            this.call('api', 'answers', [method, route, packed(body)], options);
            return;
        }
        this.#answering.push(body);
        this.call('api', 'answers', [method, route, { call: this.#answering.length - 1 }]);
    }

    #answer(asked, request) {
        const given = this.#answering[asked](new ScriptRequest(request));
        if (typeof given?.then === 'function') {
            throw new TypeError('an answer is made at once: a function given to api.answers cannot be async');
        }
        const { body, status, headers } = given instanceof Reply ? given : new Reply(given);
        return { body: packed(body), status, headers };
    }

    #taken(value) {
        if (Array.isArray(value)) {
            return value.map((entry) => this.#taken(entry));
        }
        const { kind, ...what } = value ?? {};
        const made = {
            value: () => what.value,
            render: () => new Render((...verb) => this.call(what.number, ...verb)),
            source: () => new ContentSource((...verb) => this.call(what.number, ...verb)),
            result: () => new Result(what),
            request: () => new ScriptRequest(what),
            moment: () => new Date(what.milliseconds),
        };
        return made[kind]();
    }
}

class Render {
    #call;

    constructor(call) {
        this.#call = call;
    }

    get tree() {
        return this.#call('tree');
    }

    get output() {
        return this.#call('output');
    }

    get text() {
        return this.#call('text');
    }

    get state() {
        return this.#call('state');
    }

    get props() {
        return this.#call('props');
    }

    get stored() {
        return this.#call('stored');
    }

    get opened() {
        return this.#call('opened');
    }

    get modal() {
        return this.#call('modal');
    }

    get finished() {
        return this.#call('finished');
    }

    get returned() {
        return this.#call('returned');
    }

    findAll(type = null, found = {}) {
        return this.#call('find_all', [type], found);
    }

    find(type = null, found = {}) {
        return this.#call('find', [type], found);
    }

    click(label) {
        return this.#act('click', [label]);
    }

    type(name, words) {
        return this.#act('type', [name, words]);
    }

    select(name, value) {
        return this.#act('select', [name, value]);
    }

    switch(name, on = true) {
        return this.#act('switch', [name, on]);
    }

    check(name, value = null, on = true) {
        return this.#act('check', [name, value, on]);
    }

    step(step) {
        return this.#act('step', [step]);
    }

    act(action, properties = {}) {
        return this.#act('act', [action], properties);
    }

    close() {
        return this.#act('close');
    }

    #act(verb, words, named) {
        this.#call(verb, words, named);
        return this;
    }
}

class ContentSource {
    #call;

    constructor(call) {
        this.#call = call;
    }

    revision(props = {}, dependencies = {}) {
        return this.#call('revision', [props, dependencies]);
    }

    document(props = {}, dependencies = {}) {
        return this.#call('document', [props, dependencies]);
    }
}

class Place {
    #session;
    #name;

    constructor(session, name) {
        this.#session = session;
        this.#name = name;
    }

    get id() {
        return this.#session.call('integration', 'place_id', [this.#name]);
    }

    get configuration() {
        return this.#session.setting(this.#name);
    }

    set configuration(value) {
        this.#session.set(this.#name, value);
    }
}

class Integration {
    #session;

    constructor(session) {
        this.#session = session;
        this.space = new Place(session, 'space');
        this.site = new Place(session, 'site');
    }

    get manifest() {
        return this.#call('manifest');
    }

    get configuration() {
        return this.#session.setting('configuration');
    }

    set configuration(value) {
        this.#session.set('configuration', value);
    }

    get secrets() {
        return this.#session.setting('secrets');
    }

    set secrets(value) {
        this.#session.set('secrets', value);
    }

    get endpoints() {
        return this.#call('endpoints');
    }

    get tasks() {
        return this.#call('tasks');
    }

    environment(where = 'installation') {
        return this.#call('environment', [where]);
    }

    render(component, options) {
        return this.#call('render', [component], options);
    }

    event(type, fields = {}, options = {}) {
        return this.#call('event', [type], { ...fields, ...options });
    }

    task(task, options) {
        return this.#call('task', [task], options);
    }

    runTasks() {
        return this.#call('run_tasks');
    }

    advance(seconds) {
        return this.#call('advance', [seconds]);
    }

    fetch(path = '/', { body, ...options } = {}) {
        return this.#call('fetch', [path], body === undefined ? options : { ...options, body: packed(body) });
    }

    publishedScript(options) {
        return this.#call('published_script', [], options);
    }

    visitorAuthentication(location = '', fields = {}, options = {}) {
        return this.#call('visitor_authentication', [location], { ...fields, ...options });
    }

    contentSource(source) {
        return this.#call('content_source', [source]);
    }

    play(file) {
        return this.#call('play', [file]);
    }

    refused(act, message = '', status = undefined) {
        try {
            act();
        } catch (error) {
            const fits = error instanceof Refused && error.reason.includes(message);
            if (fits && [undefined, error.status].includes(status)) {
                return;
            }
            throw error;
        }
        throw fault({ kind: 'assertion', message: 'the script did not refuse' });
    }

    #call(verb, words, named) {
        return this.#session.call('integration', verb, words, named);
    }
}

class Api {
    #session;

    constructor(session) {
        this.#session = session;
    }

    get calls() {
        return this.#session.call('api', 'calls');
    }

    answers(method, route, body, options) {
        this.#session.prepare(method, route, body, options);
    }

    breaks(method, route) {
        this.#session.call('api', 'breaks', [method, route]);
    }

    reply(body, options) {
        return new Reply(body, options);
    }

    callsTo(route) {
        return this.#session.call('api', 'calls_to', [route]);
    }
}

class Clock {
    #session;

    constructor(session) {
        this.#session = session;
        session.call('clock', 'now'); // from here on it stands still
    }

    get now() {
        return this.#session.call('clock', 'now');
    }

    advance(seconds) {
        return this.#session.call('clock', 'advance', [seconds]);
    }

    set(moment) {
        this.#session.call('clock', 'set', [moment.toISOString()]);
    }
}

[Render, ContentSource, Place, Integration, Api, Clock].forEach(offered);

/** Begin a test; gives what it works with, made where the test names it. */
export function begin(file, name) {
    ask({ verb: 'begin', with: { file, name } });
    const session = new Session();
    let clock;
    return {
        integration: new Integration(session),
        api: new Api(session),
        get clock() {
            return (clock ??= new Clock(session));
        },
        golden: told((output, name = null) => {
            session.call('golden', 'compare', [output instanceof Render ? output.output : output, name]);
        }),
    };
}
