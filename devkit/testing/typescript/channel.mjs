// The line to `devkit test`, which has the verbs: a question goes out as a line of JSON, and its answer is waited for.
// Waiting blocks, so that verbs answer at once, and a test cannot forget to await one.

const out = Deno.openSync(`/dev/fd/${Deno.env.get('DEVKIT_TEST_OUT')}`, { write: true });
const back = Deno.openSync(`/dev/fd/${Deno.env.get('DEVKIT_TEST_IN')}`, { read: true });
const encoder = new TextEncoder();
const END = '\n'.charCodeAt(0);
const CHUNK = 65536;

function send(message) {
    let bytes = encoder.encode(`${JSON.stringify(message)}\n`);
    while (bytes.length > 0) {
        bytes = bytes.subarray(out.writeSync(bytes));
    }
}

function receive() {
    const decoder = new TextDecoder();
    let line = '';
    for (;;) {
        const chunk = new Uint8Array(CHUNK);
        const count = back.readSync(chunk);
        if (count === null) {
            throw new Error('`devkit test` has ended');
        }
        line += decoder.decode(chunk.subarray(0, count), { stream: true });
        // One question at a time: what comes is one line, and nothing behind it.
        if (chunk[count - 1] === END) {
            return JSON.parse(line);
        }
    }
}

/** Ask, and answer with `prepared` what the script asks of functions meanwhile; throws what one of them threw. */
export function ask(question, prepared) {
    const thrown = [];
    send(question);
    for (;;) {
        const message = receive();
        if (message.asked === undefined) {
            if (thrown.length > 0) {
                throw thrown[0];
            }
            return message;
        }
        try {
            send(prepared(message.asked, message.request));
        } catch (error) {
            thrown.push(error);
            send({ failed: String(error?.message ?? error) });
        }
    }
}
