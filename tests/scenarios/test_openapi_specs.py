"""API specifications over HTTP: fetched or sent, processed in the background, kept as versions."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, tenant, wait_for
from tests.scenarios.people import person

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Parts", "version": "1"},
    "paths": {"/parts": {"get": {"responses": {"200": {"description": "All of them."}}}}},
}
YAML = """openapi: 3.1.0
info: {title: Switches, version: '1'}
paths:
  /switch:
    get:
      responses:
        200: {description: on}
"""


class Source:
    """A server on this machine that specifications come from; `paths` say what it answers."""

    def __init__(self) -> None:
        self.paths: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.asked: list[str] = []
        self.ended = threading.Event()
        source = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                source.asked.append(self.path)
                try:
                    source.paths.get(self.path, answer(b"nothing here", 404))(self)
                except OSError:  # whoever asked has gone
                    pass

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, path: str, content: Any, status: int = 200, **headers: str) -> str:
        """Answer with a value as JSON, or with text; gives the address."""
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.paths[path] = answer(body, status, **headers)
        return self.url + path

    def close(self) -> None:
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


def answer(body: bytes, status: int = 200, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def write(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return write


class Specs:
    """The specifications of one organization."""

    def __init__(self, owner: Tenant) -> None:
        self.api, self.path = owner.api, f"/v1/orgs/{owner.id}/openapi"

    def put(self, source: dict[str, str], slug: str | None = None) -> str:
        slug = slug or f"s-{new_id().lower()}"
        made = self.api.call("PUT", f"{self.path}/{slug}", {"source": source})
        assert made.status in (200, 201), made.text
        return slug

    def done(self, slug: str) -> dict[str, Any]:
        found: dict[str, Any] = wait_for(
            lambda: one if (one := self.get(slug))["processingState"] == "complete" else None, seconds=90
        )
        return found

    def get(self, slug: str) -> dict[str, Any]:
        found = self.api.get(f"{self.path}/{slug}")
        assert found.status == 200, found.text
        shown: dict[str, Any] = found.json
        return shown

    def processed(self, source: dict[str, str]) -> dict[str, Any]:
        return self.done(self.put(source))

    def content(self, slug: str) -> dict[str, Any]:
        found = self.api.get(f"{self.path}/{slug}/versions/latest/content")
        assert found.status == 200, found.text
        files: dict[str, Any] = found.json["filesystem"]
        return files

    def versions(self, slug: str) -> list[str]:
        return [one["id"] for one in self.api.get(f"{self.path}/{slug}/versions").json["items"]]


@pytest.fixture(scope="module")
def source() -> Iterator[Source]:
    made = Source()
    yield made
    made.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, source: Source) -> Iterator[HostProcess]:
    """A host that may reach the server of this machine, with little patience."""
    data = tmp_path_factory.mktemp("host")
    options = ["--allow-egress", source.url.removeprefix("http://")]
    process = HostProcess(data, *options, environ={"DEVKIT_OPENAPI_FETCH_SECONDS": "2"}).start()
    yield process
    process.stop()


@pytest.fixture(scope="module")
def owner(served: HostProcess) -> Tenant:
    return tenant(served, "Specs", "specs@example.com")


@pytest.fixture(scope="module")
def specs(owner: Tenant) -> Specs:
    return Specs(owner)


def wrong(spec: dict[str, Any]) -> tuple[str, str]:
    """Give the code and the first sentence of what is wrong."""
    assert spec["processingState"] == "complete"
    first = spec["lastProcessedErrors"][0]
    assert first["code"] == spec["lastProcessErrorCode"]
    return first["code"], first["message"]


def test_a_text_becomes_a_version(specs: Specs, owner: Tenant) -> None:
    slug = f"s-{new_id().lower()}"
    made = specs.api.post(specs.path, {"slug": slug, "source": {"text": YAML}})
    assert made.status == 201 and made.json["processingState"] == "pending"
    assert "sourceURL" not in made.json and "lastVersion" not in made.json
    assert made.json["urls"]["app"].endswith(f"/app/orgs/{owner.id}/openapi/{slug}")
    spec = specs.done(slug)
    assert "lastProcessErrorCode" not in spec and "lastProcessedErrors" not in spec and spec["lastProcessedAt"]
    version = specs.api.get(f"{specs.path}/{slug}/versions/latest").json
    assert version["id"] == spec["lastVersion"] and specs.versions(slug) == [version["id"]]
    content = specs.api.get(f"{specs.path}/{slug}/versions/{version['id']}/content").json
    assert content["url"] == version["url"] == f"{version['urls']['location']}/content"
    (document,) = content["filesystem"].values()
    assert document["paths"]["/switch"]["get"]["responses"] == {"200": {"description": "on"}}
    assert specs.api.post(specs.path, {"slug": slug, "source": {"text": YAML}}).status == 409
    assert specs.api.call("DELETE", f"{specs.path}/{slug}").status == 205
    assert specs.api.call("DELETE", f"{specs.path}/{slug}").status == 204
    assert specs.api.get(f"{specs.path}/{slug}/versions/latest").status == 404


def test_keys_in_an_address_are_shown_to_who_may_change_it(
    specs: Specs, source: Source, owner: Tenant, served: HostProcess
) -> None:
    url = source.serve("/signed.json?key=k3y", DOCUMENT)
    path = f"{specs.path}/{specs.put({'url': url})}"
    assert specs.api.get(path).json["sourceURL"] == url
    seen = person(served, owner, "read").api.get(path)
    assert seen.json["sourceURL"] == url.partition("?")[0] and "k3y" not in seen.text


def test_an_address_is_fetched_and_again_at_each_put(specs: Specs, source: Source) -> None:
    url = source.serve("/again.json", DOCUMENT)
    slug = specs.put({"url": url})
    first = specs.done(slug)
    assert first["sourceURL"] == url
    assert specs.content(slug) == {"again.json": DOCUMENT}
    # The same content, in another order of spaces, is no new version.
    source.serve("/again.json", json.dumps(DOCUMENT, indent=4))
    specs.put({"url": url}, slug)
    assert specs.done(slug)["lastVersion"] == first["lastVersion"]
    source.serve("/again.json", DOCUMENT | {"info": {"title": "Parts", "version": "2"}})
    specs.put({"url": url}, slug)
    second = specs.done(slug)
    assert specs.versions(slug) == [second["lastVersion"], first["lastVersion"]]
    assert source.asked.count("/again.json") == 3
    # What is wrong later leaves the version there was.
    source.serve("/again.json", "gone", 410)
    specs.put({"url": url}, slug)
    third = specs.done(slug)
    assert third["lastVersion"] == second["lastVersion"]
    assert wrong(third) == ("FETCH_ERROR", f"{url} answered with the status 410.")


def test_references_lead_across_files(specs: Specs, source: Source) -> None:
    pet = {"type": "object", "properties": {"toys": {"$ref": "../shared/toy.yaml#/Toy"}, "next": {"$ref": "#"}}}
    document = {"get": {"responses": {"200": {"$ref": "../answers.yaml#/All"}}}}
    source.serve("/api/schemas/pet.json", pet)
    source.serve("/api/shared/toy.yaml", "Toy:\n  type: object\n  properties:\n    of: {$ref: ../schemas/pet.json}\n")
    source.serve("/api/paths/pets.json", document)
    source.serve("/api/answers.yaml", "All: {description: All, content: {a/b: {schema: {$ref: schemas/pet.json}}}}")
    paths = {"/pets": {"$ref": "paths/pets.json"}}
    example = {"Fine": {"type": "object", "example": {"$ref": "no-file.json"}}}
    whole = DOCUMENT | {"paths": paths, "components": {"schemas": example}}
    slug = specs.put({"url": source.serve("/api/openapi.json", whole)})
    assert "lastProcessErrorCode" not in specs.done(slug)
    files = specs.content(slug)
    assert list(files) == ["openapi.json", "answers.yaml", "paths/pets.json", "schemas/pet.json", "shared/toy.yaml"]
    assert files["openapi.json"] == whole and files["schemas/pet.json"] == pet


def test_a_redirect_is_followed_and_each_one_is_checked(specs: Specs, source: Source) -> None:
    source.serve("/v2/real.json", DOCUMENT)
    url = source.serve("/moved", "", 302, Location="/v2/real.json")
    specs.done(slug := specs.put({"url": url}))
    assert list(specs.content(slug)) == ["real.json"]
    inside = source.serve("/inside", "", 302, Location="http://127.0.0.1:1/secret")
    code, sentence = wrong(specs.processed({"url": inside}))
    assert code == "FETCH_ERROR" and "private network" in sentence
    round_ = source.serve("/round", "", 307, Location="/round")
    assert "more than 5 times" in wrong(specs.processed({"url": round_}))[1]


def test_what_a_server_packs_unasked_is_read(specs: Specs, source: Source) -> None:
    source.paths["/kept.json"] = answer(gzip.compress(json.dumps(DOCUMENT).encode()), Content_Encoding="gzip")
    specs.done(slug := specs.put({"url": f"{source.url}/kept.json"}))
    assert list(specs.content(slug)) == ["kept.json"]


def test_what_cannot_be_fetched_says_why(specs: Specs, source: Source, served: HostProcess) -> None:
    cases = {
        source.url + "/missing": "status 404",
        "http://10.0.0.1/openapi.json": "private network",
        "http://169.254.169.254/latest": "private network",
        "https://nowhere.invalid/a": "could not be resolved",
        f"{served.url}/metrics": "only the API",
        source.serve("/packed", "text", Content_Encoding="gzip"): "claims to be gzip, but is not",
    }
    slugs = {url: specs.put({"url": url}) for url in cases}
    for url, said in cases.items():
        code, sentence = wrong(specs.done(slugs[url]))
        assert code == "FETCH_ERROR" and said in sentence, (url, sentence)
    for url in ("file:///etc/passwd", "ftp://a.example/a", "https://name:word@a.example/a", "nothing"):
        assert specs.api.call("PUT", f"{specs.path}/refused", {"source": {"url": url}}).status == 400


def test_answers_that_do_not_end_or_end_early(specs: Specs, source: Source) -> None:
    def slow(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not source.ended.wait(0.2):
            request.wfile.write(b" ")

    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not source.ended.is_set():
            request.wfile.write(b" " * 65536)

    def short(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "100000")
        request.end_headers()
        request.wfile.write(json.dumps(DOCUMENT).encode())

    source.paths |= {"/slow": slow, "/endless": endless, "/short": short}
    slugs = {path: specs.put({"url": source.url + path}) for path in ("/slow", "/endless", "/short")}
    code, sentence = wrong(specs.done(slugs["/slow"]))
    assert code == "FETCH_TIMEOUT" and "within 2 seconds" in sentence
    assert wrong(specs.done(slugs["/endless"]))[1].endswith("is larger than 20971520 bytes.")
    code, sentence = wrong(specs.done(slugs["/short"]))
    assert code == "FETCH_ERROR" and "announced 100000 bytes" in sentence


def bomb() -> str:
    lines = ["openapi: 3.1.0", "a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    for level in range(1, 12):
        lines.append(f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]")
    return "\n".join(lines)


PROBLEMS = {
    "billions": (bomb(), "3,000,000 values"),
    "deep json": ('{"openapi": "3.1.0", "x-a": ' + "[" * 100_000 + "]" * 100_000 + "}", "deeper than 200 levels"),
    "deep yaml": ("openapi: 3.1.0\nx-a: " + "[" * 100_000, "deeper than 200 levels"),
    "page": ("<!DOCTYPE html><html><body>Sign in</body></html>", "not an OpenAPI specification"),
    "version": ("openapi: 4.0.0", "3.0, 3.1 and 3.2"),
    "unfinished": ('{"openapi": "3.1.0"', "The JSON cannot be read"),
    "surrogate": ('{"openapi":"3.1.0","info":{"title":"\\ud800","version":"1"},"paths":{}}', "unpaired surrogate"),
    "incomplete": ("openapi: 3.1.0\npaths: {}\n", '"info" is a required property'),
    "to nothing": (json.dumps(DOCUMENT | {"components": {"schemas": {"A": {"$ref": "#/no"}}}}), "has no target"),
    "file": (json.dumps(DOCUMENT | {"components": {"schemas": {"A": {"$ref": "file:///etc/passwd"}}}}), "fetched"),
    "relative": (json.dumps(DOCUMENT | {"components": {"schemas": {"A": {"$ref": "a.json"}}}}), "send the spec"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_cannot_be_read_says_why(name: str, specs: Specs) -> None:
    text, said = PROBLEMS[name]
    code, sentence = wrong(specs.processed({"text": text}))
    assert code == "PARSE_ERROR" and said in sentence


def test_a_reference_into_a_private_network_is_an_error(specs: Specs, source: Source) -> None:
    schemas = {"A": {"$ref": "http://127.0.0.1:1/a.json"}}
    url = source.serve("/leads-inside.json", DOCUMENT | {"components": {"schemas": schemas}})
    code, sentence = wrong(specs.processed({"url": url}))
    assert code == "FETCH_ERROR" and "private network" in sentence


def test_recursive_references_are_kept_as_they_are(specs: Specs) -> None:
    node = {"type": "object", "properties": {"child": {"$ref": "#/components/schemas/Node"}}}
    loop = {"$ref": "#/components/schemas/Other"}
    schemas = {"Node": node, "Other": {"$ref": "#/components/schemas/Loop"}, "Loop": loop}
    slug = specs.put({"text": json.dumps(DOCUMENT | {"components": {"schemas": schemas}})})
    specs.done(slug)
    (document,) = specs.content(slug).values()
    assert document["components"]["schemas"] == schemas


def test_swagger_is_converted(specs: Specs, source: Source) -> None:
    source.serve("/old/pet.yaml", "Pet: {type: object, x-nullable: true, properties: {photo: {type: file}}}")
    body = {"in": "body", "name": "pet", "schema": {"$ref": "pet.yaml#/Pet"}, "required": True}
    document = {
        "swagger": "2.0",
        "info": {"title": "Pets", "version": "1"},
        "host": "pets.example",
        "basePath": "/v1",
        "schemes": ["https"],
        "paths": {"/pets": {"post": {"parameters": [body], "responses": {"200": {"description": "Kept."}}}}},
    }
    slug = specs.put({"url": source.serve("/old/swagger.json", document)})
    assert "lastProcessErrorCode" not in specs.done(slug)
    files = specs.content(slug)
    assert files["swagger.json"]["openapi"] == "3.0.3"
    assert files["swagger.json"]["servers"] == [{"url": "https://pets.example/v1"}]
    sent = files["swagger.json"]["paths"]["/pets"]["post"]["requestBody"]
    assert sent == {"required": True, "content": {"application/json": {"schema": {"$ref": "pet.yaml#/Pet"}}}}
    photo = {"type": "string", "format": "binary"}
    assert files["pet.yaml"] == {"Pet": {"type": "object", "properties": {"photo": photo}, "nullable": True}}


def test_twenty_megabytes_are_processed_while_the_host_answers(specs: Specs, served: HostProcess) -> None:
    schema = {"type": "object", "description": "d" * 200, "properties": {"a": {"type": "string", "maxLength": 3}}}
    schemas = {f"Schema{number}": schema for number in range(65_000)}
    text = json.dumps(DOCUMENT | {"components": {"schemas": schemas}})
    assert 19_000_000 < len(text) < 20 * 1024 * 1024
    slug = specs.put({"text": text})
    while specs.get(slug)["processingState"] != "complete":
        assert specs.api.get("/v1/user").status == 200
        time.sleep(0.1)
    assert "lastProcessErrorCode" not in specs.get(slug)
    (document,) = specs.content(slug).values()
    assert len(document["components"]["schemas"]) == 65_000
    more = text[:-1] + " " * (20 * 1024 * 1024)
    assert specs.api.call("PUT", f"{specs.path}/{slug}", {"source": {"text": more}}).status in (400, 413)


def test_the_newest_source_wins_while_an_older_one_is_fetched(specs: Specs, source: Source) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def held(request: BaseHTTPRequestHandler) -> None:
        begun.set()
        go_on.wait(30)
        answer(json.dumps(DOCUMENT).encode())(request)

    source.paths["/held.json"] = held
    slug = specs.put({"url": source.url + "/held.json"})
    assert begun.wait(30)
    assert specs.get(slug)["processingState"] == "progress"
    for _ in range(5):
        specs.put({"text": YAML}, slug)
    assert specs.get(slug)["processingState"] == "pending"
    go_on.set()
    spec = specs.done(slug)
    assert "sourceURL" not in spec
    assert specs.versions(slug) == [spec["lastVersion"]]
    (document,) = specs.content(slug).values()
    assert document["info"]["title"] == "Switches"


def test_a_killed_host_goes_on_after_its_start(tmp_path: Path, source: Source) -> None:
    begun = threading.Event()

    def hangs(request: BaseHTTPRequestHandler) -> None:
        begun.set()
        source.ended.wait(60)

    source.paths["/hangs.json"] = hangs
    host = HostProcess(tmp_path, "--allow-egress", source.url.removeprefix("http://")).start()
    try:
        specs = Specs(tenant(host, "Killed", "killed@example.com"))
        slug = specs.put({"url": source.url + "/hangs.json"})
        assert begun.wait(30)
        host.kill()
        source.serve("/hangs.json", DOCUMENT)
        host.start()
        specs.api.url = host.url
        assert specs.done(slug)["lastVersion"]
        assert specs.content(slug) == {"hangs.json": DOCUMENT}
    finally:
        host.stop()


def test_who_may_not_write_reads(specs: Specs, served: HostProcess) -> None:
    stranger = Specs(tenant(served, "Stranger", f"{new_id()}@example.com"))
    slug = specs.put({"text": YAML})
    assert stranger.api.get(f"{specs.path}/{slug}").status == 404
    assert Api(served.url, None).get(f"{specs.path}/{slug}").status == 401


def test_a_page_links_to_a_specification_while_it_is_there(specs: Specs, owner: Tenant) -> None:
    slug = specs.put({"text": YAML})
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Reference"}).json["id"]
    request = owner.api.post(f"/v1/spaces/{space}/change-requests", {}).json["id"]
    text = "".join(
        f'{{% openapi-operation spec="{one}" path="/switch" method="get" %}}\n{{% endopenapi-operation %}}\n\n'
        for one in (slug, "nothing")
    )
    changes = {"changes": [{"type": "insert_page", "title": "Switches", "document": {"markdown": text}}]}
    content = f"/v1/spaces/{space}/change-requests/{request}/content"
    assert owner.api.post(content, changes).status == 200
    links = owner.api.get(f"/v1/spaces/{space}/change-requests/{request}/links").json["items"]
    assert {link["status"] for link in links} == {"ok", "broken"}, links
    (there,) = (link for link in links if link["status"] == "ok")
    assert there["targetReference"]["openAPISpec"]["slug"] == slug, there
