"""What the plugin gives to tests of integrations: each case in process and in the real engine, with the same result."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from devkit.projects import project as projects
from devkit.projects.project import Project
from devkit.testing.clock import standing
from devkit.testing.fake_api import FakeApi, ScriptRequest
from devkit.testing.faults import Refused, ScriptFailed
from devkit.testing.in_engine_caller import Engine, InEngine
from devkit.testing.in_process_caller import InProcess
from devkit.testing.integration import Integration


@pytest.fixture(scope="module")
def sample() -> Project:
    return projects.load(str(Path(__file__).parent / "sample"))


@pytest.fixture(scope="module")
def engine(sample: Project) -> Iterator[Engine]:
    engine = Engine(sample)
    yield engine
    engine.close()


@pytest.fixture
def api() -> FakeApi:
    return FakeApi()


@pytest.fixture(params=["in process", "sandboxed"])
def integration(request: pytest.FixtureRequest, sample: Project, engine: Engine, api: FakeApi) -> Iterator[Integration]:
    with InProcess(sample.script, sample.folder) as own:
        caller = own if request.param == "in process" else InEngine(engine)
        yield Integration(sample, caller, own, api)


def test_controls_write_the_state(integration: Integration) -> None:
    page = integration.render("form")
    assert page.state["color"] == "red"
    page.type("name", "Ada").select("Color", "blue").check("One").check("Two").check("One", on=False)
    assert page.state | {"greeting": 0} == {"name": "Ada", "greeting": 0, "color": "blue", "kinds": ["two"]}
    assert page.text.startswith("Ada Open")
    assert page.switch("Loud").find("hint")["children"][0]["children"] == ["LOUD"]
    assert "print(1)" in page.type("Text", "print(1)").find("hint")["children"][0]["children"]


def test_what_is_pressed_is_done_as_a_host_does_it(integration: Integration) -> None:
    page = integration.render("form", {"of": "me"})
    assert page.click("Manual").opened == ["https://example.com/manual"]
    page.type("Name", "Ada").click("Save")
    assert (page.stored, page.props) == (None, {"name": "Ada"})
    page = integration.render("form", {"of": "me"}, editable=True)
    assert page.type("Name", "Ada").click("Save").stored == {"name": "Ada"}
    page = integration.render("form", {"of": "me"}).click("Open")
    assert page.modal is not None and "Of me" in page.modal.text
    page.modal.type("Answer", "fine").click("OK")
    assert (page.modal, page.state["greeting"]) == (None, "fine")
    modal = page.click("Open").modal
    assert modal is not None
    modal.close()
    assert (page.modal, page.state["greeting"]) == (None, "dismissed")
    modal = page.click("Open").modal
    assert modal is not None and modal.act("end").finished
    assert (page.modal, page.state["greeting"]) == (None, "ended")


def test_a_refusal_leaves_the_screen_as_it_was(integration: Integration) -> None:
    page = integration.render("form").type("Name", "Ada")
    with pytest.raises(Refused) as refused:
        page.click("Forget")
    assert (refused.value.status, refused.value.message) == (422, "Nothing to forget")
    assert page.state["name"] == "Ada"
    with integration.refused("forget", 422):
        page.click("Forget")
    with pytest.raises(AssertionError, match="the script did not refuse"), integration.refused():
        page.switch("Loud")


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (
            lambda page: page.click("Nothing"),
            "nothing can be pressed by the name 'Nothing'; there is 'Open', 'Save', 'Never', 'Manual'",
        ),
        (lambda page: page.click("Never"), "'Never' is disabled"),
        (lambda page: page.type("nothing", ""), "there is no textinput or codeblock or select 'nothing'"),
        (lambda page: page.select("color", "green"), "'color' has no option 'green'; options are 'red', 'blue'"),
        (lambda page: page.type("color", "red"), "takes no typed text"),
        (lambda page: page.find("button", label="X"), "there is no button 'X'; button: 'Save', 'Never'"),
        (lambda page: page.find("input"), "there are 6 of input"),
    ],
)
def test_what_is_not_there_is_reported_with_what_is(sample: Project, do: object, words: str) -> None:
    with InProcess(sample.script, sample.folder) as own:
        page = Integration(sample, own, own, FakeApi()).render("form")
        with pytest.raises(AssertionError) as error:
            do(page)  # type: ignore[operator]
    assert words in str(error.value)


def test_an_error_has_the_authors_line(integration: Integration) -> None:
    page = integration.render("form")
    with pytest.raises(ScriptFailed) as failed:
        page.act("crash")
    fault = failed.value.fault
    assert (fault.file, fault.line, fault.message) == ("integration.py", 53, "KeyError: 'missing'")
    assert str(failed.value).splitlines()[1:] == [
        '        return ui.update(state={"greeting": element.props["missing"]})',
        " " * 44 + "^",
    ]
    with pytest.raises(AssertionError, match="renders something that ContentKit does not allow"):
        integration.render("wrong")
    assert integration.render("wrong", check=False).tree["children"] == [{"type": "buton"}]


def test_events_are_logged_and_answered_by_route(integration: Integration, api: FakeApi) -> None:
    api.answers(
        "GET", "/v1/spaces/{id}", lambda request: {"title": f"{request.parameters['id']} {request.query['revision']}"}
    )
    result = integration.event("space_content_updated", revisionId="r1")
    assert (result.status, result.text) == (200, "OK")
    levels = [(line.level, line.message) for line in result.logged]
    space = integration.space.id
    assert levels == [
        ("info", "printed 1"),
        ("warn", "logged"),
        ("info", f"Title: {space} r1"),
        ("debug", "afterwards"),
    ]
    assert [request.method for request in api.calls_to("/v1/spaces/{id}")] == ["GET"]
    assert api.calls[0].headers["authorization"] == "Bearer offline"


def test_every_test_begins_with_a_fresh_script(integration: Integration, api: FakeApi) -> None:
    api.answers("GET", "/v1/spaces/{id}", {"title": ""})
    assert integration.event("space_content_updated").logs[0] == "printed 1"
    assert integration.event("space_content_updated").logs[0] == "printed 2"


def test_other_hosts_are_answered_and_can_be_gone(integration: Integration, api: FakeApi) -> None:
    address = "https://hooks.example.com/x"
    api.answers("POST", address, "taken", status=202)
    assert integration.event("site_view", pageId="p1").logs == ["202 taken"]
    (request,) = api.calls
    assert (request.url, request.json, request.query) == (f"{address}?of=view", {"page": "p1"}, {"of": "view"})
    api.breaks("POST", address)
    assert integration.event("site_view").logs == ["nobody there"]
    api.answers("GET", "http://plain.example.com/a", {"n": 1})
    api.answers("GET", "http://plain.example.com/b", b"two")
    assert integration.event("page_feedback").logs == ["1 two"]


def test_a_request_nobody_answers_fails_the_test(integration: Integration) -> None:
    with pytest.raises(AssertionError) as error:
        integration.event("site_view")
    assert str(error.value) == (
        "the script requested POST https://hooks.example.com/x, and no answer is prepared: "
        'write api.answers("POST", "https://hooks.example.com/x", {...}) before'
    )
    with pytest.raises(AssertionError, match=r'write api.answers\("GET", "/v1/spaces/space-offline", {...}\) before'):
        integration.event("space_content_updated")


def test_what_cannot_be_answered_says_so(sample: Project, engine: Engine, api: FakeApi) -> None:
    api.answers("GET", "https://secure.example.com/", "read")
    with InProcess(sample.script, sample.folder) as own:
        here, there = Integration(sample, own, own, api), Integration(sample, InEngine(engine), own, api)
        assert here.event("site_installation_setup").logs == ["read"]
        # In its sandbox the script makes the connection's encryption itself, through the egress proxy.
        with pytest.raises(AssertionError, match=r"only it can decrypt: use context.fetch"):
            there.event("site_installation_setup")
        with pytest.raises(AssertionError, match=r"requested raw.example.com in a way that tests cannot answer"):
            here.event("installation_setup")


def test_tasks_come_due_as_the_clock_goes(integration: Integration) -> None:
    with standing(integration) as clock:
        assert clock.now == datetime(2026, 1, 1, tzinfo=UTC)
        result = integration.task({"left": 2})
        assert [(task.task, task.schedule) for task in result.tasks] == [({"left": 1}, 60)]
        assert clock.advance(59) == []
        assert [result.logs for result in clock.advance(61)] == [["task 1"], ["task 0"]]
        assert (clock.now, integration.tasks) == (datetime(2026, 1, 1, 0, 2, tzinfo=UTC), [])


def test_a_request_sees_the_level_it_was_sent_to(integration: Integration) -> None:
    integration.configuration, integration.space.configuration = {"a": 1}, {"b": 2}
    assert integration.fetch("/who", at="integration").json == {"installed": False, "configuration": {}}
    assert integration.fetch("/who").json == {"installed": True, "configuration": {"a": 1}}
    assert integration.fetch("who", at="space").json["configuration"] == {"b": 2}
    sent = integration.fetch("/save", json={"c": 3})
    assert (sent.status, integration.configuration) == (302, {"a": 1, "c": 3})
    assert integration.fetch(str(sent.location)).json["configuration"] == {"a": 1, "c": 3}
    assert integration.fetch("/who", "POST").status == 405


def test_sites_and_content_are_asked_for(integration: Integration) -> None:
    assert integration.published_script().text == "// Hello a test-NEVER_SET"
    integration.site.configuration["text"] = "Bye"
    integration.secrets["KEY"] = "key"
    assert integration.published_script().text == "// Bye key"
    assert integration.visitor_authentication("a/b").location == "https://login.example.com/a/b"
    pages = integration.content_source("pages")
    assert pages.revision({"title": "One"}) == {"pages": [{"type": "document", "id": "a", "title": "One"}]}
    with integration.refused("Gone", 404):
        pages.document()


def test_a_scenario_is_played(integration: Integration) -> None:
    first, second = integration.play("scenario.yaml")
    assert (first.logs, second.json["installed"]) == (["task 1"], True)
    assert integration.tasks == []


def test_what_a_test_writes_wrong_is_reported(sample: Project, api: FakeApi) -> None:
    with InProcess(sample.script, sample.folder) as own:
        integration = Integration(sample, own, own, api)
        for words, wrong in {
            "there is no event 'nothing'": lambda: integration.event("nothing"),
            "space_content_updated: `revisionId` is missing": lambda: integration.event(
                "space_content_updated", revisionId=None
            ),
            "there is no context 'page'": lambda: integration.render("form", context="page"),
            "there is no signer 'nobody'": lambda: integration.fetch("/who", sign="nobody", secret="s"),
            "sign needs secret": lambda: integration.fetch("/who", sign="github"),
            "is at none of the integration's endpoints": lambda: integration.fetch("https://elsewhere.example.com/"),
            "write a path of the API that begins with /v1/": lambda: api.answers("GET", "/spaces/1"),
            "a status is a number from 200 to 599": lambda: api.answers("GET", "/v1/a", status=20),
        }.items():
            with pytest.raises(ValueError) as error:
                wrong()
            assert words in str(error.value)
        assert integration.script.TITLE == "Title"


def test_the_script_leaves_nothing_behind(sample: Project, api: FakeApi) -> None:
    import http.client
    import sys

    before = dict(sys.modules), list(sys.path), http.client.HTTPConnection.connect
    with InProcess(sample.script, sample.folder) as own:
        Integration(sample, own, own, api).task({"left": 0})
        assert "beside" in sys.modules
    assert "beside" not in sys.modules and "integration" not in set(sys.modules) - set(before[0])
    assert (sys.path, http.client.HTTPConnection.connect) == before[1:]


def test_requests_are_read_as_they_were_sent() -> None:
    request = ScriptRequest("POST", "https://Example.com/a?x=1&x=2&y=", body=b"a=1&b=")
    assert (request.path, request.query, request.form) == ("/a", {"x": "2", "y": ""}, {"a": "1", "b": ""})
    api = FakeApi()
    api.answers("*", "https://example.com/{name}", lambda answer: answer.parameters["name"])
    assert api.respond(request).body == "a"
    assert api.missed() is None


def test_a_file_of_tests_outside_a_project_is_reported(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    from devkit.testing.plugin import Projects, Unusable

    with pytest.raises(Unusable, match=r"test_a.py is not in a project: there is no integration.yaml"):
        Projects().of(tmp_path / "test_a.py")
