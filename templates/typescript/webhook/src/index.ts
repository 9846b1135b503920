import { createIntegration, ExposableError, type RuntimeContext, type RuntimeEnvironment } from '@gitbook/runtime';

type Message = { id: string; text?: string };
type Context = RuntimeContext<RuntimeEnvironment, { message: Message }>;

// The address is `<public endpoint>/hook`. It names no installation, so it is the same for everybody who installs this.
async function hook(request: Request, context: Context): Promise<Response> {
    // The signature is over the bytes as they came, so it is checked before anything is read.
    const body = await request.arrayBuffer();
    const given = request.headers.get('x-hub-signature-256') ?? '';
    if (!(await isSigned(context.environment.secrets.WEBHOOK_SECRET, body, given))) {
        throw new ExposableError('The signature is wrong', 401);
    }
    const message = read(body);
    // Senders give up on slow receivers: answer at once, and do the work in a task.
    await context.integration.queueTask({ task: { message } });
    return Response.json({ accepted: message.id });
}

/** Checks a signature as GitHub makes it: HMAC-SHA256 of the body, in hexadecimal. */
async function isSigned(secret: string, body: ArrayBuffer, given: string): Promise<boolean> {
    const digits = /^sha256=([0-9a-f]{64})$/.exec(given)?.[1];
    if (!digits) {
        return false;
    }
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
    const signature = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    // Takes as long for a signature that is nearly right, so that nobody finds it digit by digit.
    return crypto.subtle.verify('HMAC', key, signature, body);
}

function read(body: ArrayBuffer): Message {
    let message: unknown;
    try {
        message = JSON.parse(new TextDecoder().decode(body));
    } catch {
        throw new ExposableError('The message is not JSON');
    }
    if (typeof message === 'object' && message !== null && 'id' in message && typeof message.id === 'string') {
        return message as Message;
    }
    throw new ExposableError('The message needs an `id`');
}

export default createIntegration<Context>({
    fetch: async (request, context) => {
        const { pathname } = new URL(request.url);
        if (request.method === 'POST' && pathname.endsWith('/hook')) {
            return hook(request, context);
        }
        return new Response('There is nothing here', { status: 404 });
    },
    task: async ({ message }) => {
        console.log(`message ${message.id}: ${message.text ?? 'without text'}`);
    },
});
