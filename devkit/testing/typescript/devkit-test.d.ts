/** What tests of an integration import from `devkit:test`; `devkit test` runs them, `devkit test --types` prints this. */
declare module 'devkit:test' {
    /** A value as it travels in JSON. */
    export type Json = any;
    export type JsonObject = Record<string, Json>;
    /** An element of ContentKit, as the script drew it. */
    export type Element = { type: string; [property: string]: Json };
    /** The level an event belongs to, and a public endpoint. */
    export type Where = 'integration' | 'installation' | 'space' | 'site';
    /** Who signs requests to webhooks. */
    export type Signer = 'github' | 'slack' | 'stripe' | 'standard-webhooks';
    /** The screens a component is drawn on. */
    export type ContextType =
        | 'document'
        | 'configuration_account'
        | 'configuration_space'
        | 'configuration_site'
        | 'configuration_contentsource';
    /** The events of the platform. */
    export type EventType =
        | 'installation_setup'
        | 'installation_deleted'
        | 'space_installation_setup'
        | 'space_installation_deleted'
        | 'site_installation_setup'
        | 'site_installation_deleted'
        | 'site_view'
        | 'page_feedback'
        | 'space_content_updated'
        | 'space_gitsync_started'
        | 'space_gitsync_completed'
        | 'space_visibility_updated'
        | 'fetch'
        | 'fetch_published_script'
        | 'fetch_visitor_authentication'
        | 'ui_render'
        | 'content_compute_revision'
        | 'content_compute_document'
        | 'task';

    /** What a test works with; each test begins with fresh ones, and with a fresh process of the script. */
    export interface Fixtures {
        /** The integration of the folder the test is in. */
        readonly integration: Integration;
        /** Answers for what the script asks of the platform's API and of others. */
        readonly api: Api;
        /** A clock that stands still until it is moved. */
        readonly clock: Clock;
        /** Compares a render, or any JSON value, with `golden/<test>.json` beside the test; `name` distinguishes several. */
        readonly golden: (output: Render | Json, name?: string) => void;
    }

    /** A test. Its verbs answer at once: they need no `await`, and none is wrong. */
    export type Body = (fixtures: Fixtures) => void | Promise<void>;

    export interface Test {
        (name: string, body: Body): void;
        /** A test that is not run. */
        skip(name: string, body: Body): void;
        /** While there is one, no other test of the file is run, and the run fails in the end. */
        only(name: string, body: Body): void;
    }

    export const test: Test;

    /** Assertions; what fails shows the expected and the actual value. */
    export interface Assert {
        (value: unknown, message?: string): asserts value;
        ok(value: unknown, message?: string): asserts value;
        equal(actual: unknown, expected: unknown, message?: string): void;
        notEqual(actual: unknown, expected: unknown, message?: string): void;
        deepEqual(actual: unknown, expected: unknown, message?: string): void;
        notDeepEqual(actual: unknown, expected: unknown, message?: string): void;
        match(text: string, pattern: RegExp, message?: string): void;
        doesNotMatch(text: string, pattern: RegExp, message?: string): void;
        throws(act: () => unknown, error?: RegExp | Function | object, message?: string): void;
        doesNotThrow(act: () => unknown, message?: string): void;
        rejects(act: Promise<unknown> | (() => Promise<unknown>), error?: RegExp | Function | object): Promise<void>;
        fail(message?: string): never;
    }

    /** The strict assertions of `node:assert`. */
    export const assert: Assert;

    /** The script refused with an error that is meant for the person at the screen. */
    export class Refused extends Error {
        readonly status: number;
        /** Its message, without the status. */
        readonly reason: string;
    }

    /** The script ended with an error nobody expected; the message says where in the author's file. */
    export class ScriptFailed extends Error {}

    export interface Check {
        /** With `false`, what is wrong with the script's answer is for the test to look at. */
        check?: boolean;
    }

    export interface RenderOptions extends Check {
        props?: JsonObject;
        /** Without one the script gives the initial one. */
        state?: JsonObject;
        /** A whole context, or the type of one; `document` where there is none. */
        context?: ContextType | JsonObject;
        action?: { action: string; [property: string]: Json };
        /** Whether who looks at a document edits it. */
        editable?: boolean;
    }

    export interface FetchOptions extends Check {
        /** GET without a body, else POST. */
        method?: string;
        headers?: Record<string, string>;
        body?: string | Uint8Array;
        /** The body, as JSON. */
        json?: Json;
        /** The body, as the fields of a form. */
        form?: Record<string, string>;
        query?: Record<string, string>;
        /** The sender whose signature, made with `secret`, is added. */
        sign?: Signer;
        secret?: string;
        /** The level of the endpoint; `installation` where there is none. */
        at?: Where;
        /** The id of the person who is signed in. */
        user?: string;
    }

    /** A space or a site the integration is installed on. */
    export interface Place {
        readonly id: string;
        configuration: JsonObject;
    }

    /**
     * The integration under test, called as the platform does. An error nobody expected fails the test with the line of
     * the script, and so does a request nobody answers.
     */
    export interface Integration {
        /** The manifest. */
        readonly manifest: JsonObject;
        /** The configuration of the installation in the organization; tests may change it. */
        configuration: JsonObject;
        /** The secrets of the manifest; tests may change them. */
        secrets: Record<string, string>;
        readonly space: Place;
        readonly site: Place;
        /** The public endpoints, by level. */
        readonly endpoints: Record<Where, string>;
        /** The tasks that are queued and not worked off. */
        readonly tasks: Queued[];
        /** What the script sees besides an event of a level; of `installation` where there is none. */
        environment(where?: Where): JsonObject;
        /** Draws a component; throws Refused where the script refuses. */
        render(component: string, options?: RenderOptions): Render;
        /** Sends an event: a realistic payload of its type with these fields over it; `null` leaves one out. */
        event(type: EventType, fields?: JsonObject, options?: Check): Result;
        /** Has a task worked off. */
        task(task: JsonObject, options?: Check): Result;
        /** Works off the tasks that are due now, and those they queue. */
        runTasks(): Result[];
        /** Lets seconds pass for queued tasks, and works off those that come due. */
        advance(seconds: number): Result[];
        /** Sends an HTTP request to a public endpoint: `path` is below it, or a whole address that begins with one. */
        fetch(path?: string, options?: FetchOptions): Result;
        /** Asks for the script that a published site loads. */
        publishedScript(options?: Check): Result;
        /** Comes as a visitor without a session, to a page of the site. */
        visitorAuthentication(location?: string, fields?: JsonObject, options?: Check): Result;
        contentSource(source: string): ContentSource;
        /** Sends the events of a scenario file, which lies beside the manifest; pauses pass at once. */
        play(file: string): Result[];
        /** Expects that the script refuses, with these words in its message and this status. */
        refused(act: () => unknown, message?: string, status?: number): void;
    }

    /** A content source of the integration. */
    export interface ContentSource {
        /** Computes its pages and files; throws Refused. */
        revision(props?: JsonObject, dependencies?: JsonObject): JsonObject;
        /** Computes one document: `{ markdown }` or `{ document }`; throws Refused. */
        document(props?: JsonObject, dependencies?: JsonObject): JsonObject;
    }

    export interface Found {
        /** The label, or the words. */
        label?: string;
        [property: string]: Json;
    }

    /** What a component shows now. Acting on it changes it in place, and gives it back. */
    export interface Render {
        /** The root element. */
        readonly tree: Element;
        /** The whole output: element, state, props. */
        readonly output: JsonObject;
        /** All words on the screen. */
        readonly text: string;
        /** The state, with what was typed and chosen. */
        readonly state: JsonObject;
        /** The properties it was drawn with. */
        readonly props: JsonObject;
        /** The properties the document stores; null while nothing was stored. */
        readonly stored: JsonObject | null;
        /** The addresses that were opened. */
        readonly opened: string[];
        /** The overlay on top; null where there is none. */
        readonly modal: Render | null;
        /** Whether the component is complete, with what is in `returned`. */
        readonly finished: boolean;
        readonly returned: Json;
        /** The elements of a type, with a label or words, and with properties. */
        findAll(type?: string | null, found?: Found): Element[];
        /** The one element of a type, with a label or words, and with properties. */
        find(type?: string | null, found?: Found): Element;
        /** Presses the button, card, link or menu entry of this label. */
        click(label: string): Render;
        /** Types into the text field, or edits the code, of this id or label. */
        type(name: string, words: string): Render;
        /** Chooses an option of the select, or one of the radios, of this id or label. */
        select(name: string, value: Json): Render;
        /** Turns the switch of this id or label on or off. */
        switch(name: string, on?: boolean): Render;
        /** Ticks the checkbox of this id or label, or takes the tick away; `value` distinguishes those of one id. */
        check(name: string, value?: Json, on?: boolean): Render;
        /** Goes to another step of the stepper. */
        step(step: string): Render;
        /** Sends an action of this name, as a web frame may. */
        act(action: string, properties?: JsonObject): Render;
        /** Closes this overlay without its submit button. */
        close(): Render;
    }

    export interface LogLine {
        level: 'debug' | 'info' | 'warn' | 'error';
        message: string;
    }

    /** A task the script queued; `schedule` is the seconds it was put off for. */
    export interface Queued {
        task: JsonObject;
        schedule: number;
    }

    /** How a call ended. */
    export interface Result {
        readonly status: number;
        /** Whether the status is below 400. */
        readonly ok: boolean;
        /** With names in lower case; of repeated ones the last. */
        readonly headers: Record<string, string>;
        readonly body: Uint8Array;
        readonly text: string;
        /** The body as JSON; throws where it is none. */
        readonly json: Json;
        /** The sentence of an error answer, '' where it has none. */
        readonly error: string;
        /** Where a redirect leads, null where there is no redirect. */
        readonly location: string | null;
        /** The lines the script logged; `logged` has their levels, too. */
        readonly logs: string[];
        readonly logged: LogLine[];
        /** The tasks it queued. */
        readonly tasks: Queued[];
    }

    /** A request of the script. */
    export interface ScriptRequest {
        readonly method: string;
        readonly url: string;
        /** With names in lower case. */
        readonly headers: Record<string, string>;
        readonly body: Uint8Array;
        readonly text: string;
        /** What stands for the `{name}` of the route that answered it. */
        readonly parameters: Record<string, string>;
        /** The path, without the query. */
        readonly path: string;
        readonly query: Record<string, string>;
        /** The body as JSON, null without one; throws where it is none. */
        readonly json: Json;
        /** The fields of a form in the body. */
        readonly form: Record<string, string>;
    }

    export interface ReplyOptions {
        status?: number;
        headers?: Record<string, string>;
    }

    /** What a function given to `answers` may return besides a body. */
    export interface Reply extends Required<ReplyOptions> {
        readonly body: Json | string | Uint8Array;
    }

    export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | '*';

    /** The answers a test has ready, by route, and all requests the script made. */
    export interface Api {
        readonly calls: ScriptRequest[];
        /**
         * Has an answer ready for a path of the API, which begins with /v1, or for a whole address elsewhere. `{name}` in
         * the route stands for one part of the path; the query does not count. Of routes that fit, the last one answers.
         */
        answers(
            method: Method,
            route: string,
            body: (request: ScriptRequest) => Json | string | Uint8Array | Reply,
        ): void;
        answers(method: Method, route: string, body?: Json | string | Uint8Array, options?: ReplyOptions): void;
        /** Has nobody at this address: the script gets no answer. */
        breaks(method: Method, route: string): void;
        /** What a function given to `answers` may return besides a body. */
        reply(body?: Json | string | Uint8Array, options?: ReplyOptions): Reply;
        /** The requests whose address fits a route. */
        callsTo(route: string): ScriptRequest[];
    }

    /** Time for queued tasks; the script itself sees the real time. */
    export interface Clock {
        readonly now: Date;
        /** Lets seconds pass; gives the results of the tasks that came due, each worked off at its moment. */
        advance(seconds: number): Result[];
        /** Makes it another moment; tasks keep waiting as long as before. */
        set(moment: Date): void;
    }
}
