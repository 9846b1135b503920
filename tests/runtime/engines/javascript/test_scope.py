"""What a bundle finds around it: a module worker's global scope, and no way to anything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import runtime.engines.javascript
from tests.runtime.engines.conftest import Probe
from tests.runtime.engines.javascript.conftest import worker

IMPORTS = Path(runtime.engines.javascript.__file__).parent / "inside" / "imports.json"
REFUSED = sorted(name for name, target in json.loads(IMPORTS.read_text())["imports"].items() if target is None)
ALLOWED = [
    "assert", "async_hooks", "buffer", "crypto", "diagnostics_channel", "events", "path", "path/posix", "process",
    "console", "punycode", "querystring", "stream", "stream/promises", "stream/web", "string_decoder", "timers",
    "timers/promises", "url", "util", "util/types", "zlib",
]  # fmt: skip


def test_what_bundles_depend_on(probe: Probe) -> None:
    got = probe(
        """
        const refused = (run) => { try { run(); return "ran"; } catch (error) { return error.name; } };
        process.env.ADDED = "1";
        return Response.json({
          node: process.versions.node === undefined && !("node" in process.versions),
          self: self === globalThis,
          env: { ...process.env },
          eval: refused(() => eval("1")),
          indirect: refused(() => (0, eval)("1")),
          function: refused(() => new Function("return 1")),
          constructed: refused(() => (async () => {}).constructor("return 1")),
          wasm: refused(() => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))),
          key: typeof CryptoKey,
          streams: [typeof TransformStream, typeof TextDecoderStream, typeof ReadableStream, typeof CompressionStream],
          clone: structuredClone({ date: new Date(0), set: new Set([1]) }).set.has(1),
          agent: navigator.userAgent.length > 0,
          abort: AbortSignal.timeout(1000).aborted,
          id: crypto.randomUUID().length,
          base64: btoa("x") + atob("eA=="),
          buffer: Buffer.from("x").toString("hex"),
          env2: Object.keys(env),
        });
        """
    )

    assert got.json() == {
        "node": True,
        "self": True,
        "env": {"ADDED": "1"},
        "eval": "EvalError",
        "indirect": "EvalError",
        "function": "EvalError",
        "constructed": "EvalError",
        "wasm": "CompileError",
        "key": "function",
        "streams": ["function"] * 4,
        "clone": True,
        "agent": True,
        "abort": False,
        "id": 36,
        "base64": "eA==x",
        "buffer": "78",
        "env2": [],
    }


def test_environment_is_empty_at_first(probe: Probe) -> None:
    assert probe("return Response.json(process.env)").json() == {}


def test_web_cryptography(probe: Probe) -> None:
    key = rsa.generate_private_key(65537, 2048)
    pkcs8 = key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    got = probe(
        """
        const bytes = new TextEncoder().encode("message");
        const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        const hmac = { name: "HMAC", hash: "SHA-256" };
        const secret = await crypto.subtle.importKey("raw", new TextEncoder().encode("key"), hmac, false, ["sign"]);
        const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
        const pkcs8 = await sent.arrayBuffer();
        const signing = await crypto.subtle.importKey("pkcs8", pkcs8, rsa, false, ["sign"]);
        const aes = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt", "decrypt"]);
        const how = { name: "AES-GCM", iv: crypto.getRandomValues(new Uint8Array(12)) };
        const closed = await crypto.subtle.encrypt(how, aes, bytes);
        return Response.json({
          digest: hex(await crypto.subtle.digest("SHA-256", bytes)),
          hmac: hex(await crypto.subtle.sign("HMAC", secret, bytes)),
          signature: hex(await crypto.subtle.sign(rsa, signing, bytes)),
          opened: new TextDecoder().decode(await crypto.subtle.decrypt(how, aes, closed)),
          key: signing instanceof CryptoKey,
        });
        """,
        event={
            "eventId": "e",
            "type": "fetch",
            "request": {"method": "post", "url": "https://integrations.example/", "headers": {}},
        },
        fetch_body=pkcs8,
    ).json()

    assert got["digest"] == "ab530a13e45914982b79f9b7e3fba994cfd1f3fb22f71cea1afbf02b460c6d1d"
    assert got["hmac"] == "6e9ef29b75fffc5b7abae527d58fdadb2fe42e7219011976917343065f58ed4a"
    assert got["opened"] == "message"
    assert got["key"]
    key.public_key().verify(bytes.fromhex(got["signature"]), b"message", padding.PKCS1v15(), hashes.SHA256())


def test_nothing_of_the_engine_is_in_sight(probe: Probe) -> None:
    got = probe(
        """
        const names = ["Deno", "Worker", "WebSocket", "EventSource", "BroadcastChannel", "localStorage", "caches",
          "prompt", "close", "location", "require", "__dirname", "GPU"];
        return Response.json({
          there: names.filter((name) => name in globalThis),
          builtin: [process.getBuiltinModule, process.binding, process.dlopen, process.kill].map((one) => typeof one),
        });
        """
    )

    assert got.json() == {"there": [], "builtin": ["undefined"] * 4}


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "file:///proc/self/environ",
        "file:///deno",
        "file:///host/calls",
        "https://example.com/module.js",
        "http://127.0.0.1/module.js",
        "npm:lodash",
        "jsr:@std/path",
        "cloudflare:sockets",
        "fs",
        "deno:core",
    ],
)
def test_nothing_else_can_be_imported(probe: Probe, address: str) -> None:
    got = probe(
        f"try {{ await import({address!r}); return new Response('there'); }} catch {{ return new Response('no'); }}"
    )

    assert got.body == b"no"


def test_the_isolate_cannot_be_started_again(probe: Probe) -> None:
    got = probe(
        """
        try { await import("file:///inside/isolate.mjs?again"); } catch (error) { return new Response(error.name); }
        return new Response("started");
        """
    )

    assert got.body != b"started"


@pytest.mark.parametrize("name", REFUSED)
def test_node_modules_that_reach_the_machine_are_refused(ask: Probe, name: str) -> None:
    got = ask(f"import * as it from {name!r};\n" + worker("return new Response(typeof it)"))

    assert got.outcome.status == 500
    assert f"{name} cannot be imported" in got.trace.fault.message


def test_node_modules_that_compute_are_there(probe: Probe) -> None:
    names = [f"node:{name}" for name in ALLOWED]
    got = probe(
        f"const all = await Promise.all({names!r}.map((name) => import(name))); return Response.json(all.length)"
    )

    assert got.json() == len(names)


def test_node_process_and_console_are_the_scripts_own(probe: Probe) -> None:
    got = probe(
        """
        given.log("through node:console");
        return Response.json({ same: it === process, versions: it.versions, exit: typeof it.exit });
        """,
        before='import it from "node:process"; import given from "node:console";',
    )

    assert got.json() == {"same": True, "versions": {}, "exit": "function"}
    assert [line.message for line in got.trace.logs] == ["through node:console"]


def test_a_call_reads_its_request_in_any_way(ask: Probe) -> None:
    source = """
    export default { async fetch(request) {
      const copy = request.clone();
      const text = await request.text();
      const again = await request.text().catch((error) => error.name);
      const form = await copy.formData();
      const boundary = request.headers.get("content-type").split("boundary=")[1];
      return Response.json({
        text: text.includes(form.get("event")) && text.startsWith("--" + boundary),
        again, used: request.bodyUsed, path: new URL(request.url).pathname, method: request.method,
        real: (await new Request("http://x/", { method: "POST", body: text, headers: request.headers }).formData())
          .get("event") === form.get("event"),
      });
    } };
    """
    got = ask(source)

    assert got.json() == {
        "text": True, "again": "TypeError", "used": True, "path": "/v1", "method": "POST", "real": True,
    }  # fmt: skip
