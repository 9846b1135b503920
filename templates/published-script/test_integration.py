import json
import runpy
from pathlib import Path

from runtime.sdk.answering import RawCall, answer, find_integration

INTEGRATION = find_integration(runpy.run_path(str(Path(__file__).with_name("integration.py"))))


def script(**configuration):
    """Ask for the script as the platform does when a reader's browser loads it."""
    event = {"eventId": "e", "type": "fetch_published_script", "installationId": "inst1", "siteId": "site1"}
    environment = {"siteInstallation": {"site": "site1", "configuration": configuration}}
    call = RawCall(json.dumps(event).encode(), json.dumps(environment).encode(), None, lambda level, line: None)
    told = answer(INTEGRATION, call)
    assert told.status == 200, told.error
    assert dict(told.headers)["content-type"] == "application/javascript"
    return told.body.decode()


def test_the_script_carries_the_sites_text():
    assert script(text=" We moved ").endswith('("We moved");\n')
    assert script().endswith('("Welcome!");\n')


def test_a_text_cannot_become_code():
    assert script(text='"); alert(1); ("').endswith('("\\"); alert(1); (\\"");\n')


def test_without_a_text_there_is_no_script():
    assert script(text="") == "/** no-op */"
