// The sample of tests/contract/test_engines.py as a module worker, without any library.

const json = (value, status = 200) => Response.json(value, { status });

class ExposableError extends Error {}

const routes = {
  "GET /fails": () => {
    throw new TypeError("secret detail");
  },
  "GET /refuses": () => {
    throw new ExposableError("Not for you");
  },
  "GET /name": (request, environment) => new Response(environment.integration.name),
  "GET /moved": () => {
    const headers = new Headers({ location: "https://elsewhere.example/" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response(null, { status: 302, headers });
  },
  "GET /pieces": () => {
    const pieces = ["one ", "two ", "three"];
    return new Response(new ReadableStream({
      pull(controller) {
        if (pieces.length) controller.enqueue(new TextEncoder().encode(pieces.shift()));
        else controller.close();
      },
    }));
  },
  "GET /sleeps": () => new Promise((done) => setTimeout(() => done(new Response("slept")), 30_000)),
  "GET /large": () => new Response("x".repeat(6_000_000)),
  "POST /echo": async (request) => {
    const body = await request.arrayBuffer();
    return new Response(body, { headers: { "content-type": request.headers.get("content-type") } });
  },
};

async function fetched(event, environment, body) {
  const { method, url, headers } = event.request;
  const request = new Request(url, { method: method.toUpperCase(), headers, body });
  const handler = routes[`${request.method} ${new URL(url).pathname}`];
  return handler ? handler(request, environment) : json({ error: "Not found" }, 404);
}

async function handle(request) {
  const form = await request.formData();
  const event = JSON.parse(form.get("event"));
  const environment = JSON.parse(form.get("environment"));
  switch (event.type) {
    case "fetch":
      return fetched(event, environment, form.get("fetch-body"));
    case "ui_render": {
      const count = event.state.count + (event.action?.action === "increment" ? 1 : 0);
      const element = { type: "block", children: [{ type: "text", children: [String(count)] }] };
      return json({ type: "element", state: { count }, props: event.props, element });
    }
    case "site_view":
      console.info("seen", event.siteId);
      return new Response("OK");
    default:
      return json({ error: `Integration does not handle "${event.type}" events` }, 406);
  }
}

export default {
  async fetch(request) {
    try {
      return await handle(request);
    } catch (error) {
      if (error instanceof ExposableError) return json({ error: error.message }, 422);
      console.error(error);
      return json({ error: "Internal server error" }, 500);
    }
  },
};
