"""Authors on macOS: engines, hosts and commands on a Python that lacks what only Linux has (see `without_linux`)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from tests.conftest import HostProcess, Installed, init, installed, tenant, wait_for
from tests.devkit.dev_process import SAMPLES, DevProcess, copy_sample, devkit
from tests.devkit.dev_process import environment as at_home
from tests.scenarios import without_linux

ROOT = Path(__file__).parents[2]
NAMES = """
import ctypes, os, resource, select, selectors, signal, socket, subprocess, sys, tempfile
from runtime.engines.sandbox import interpreter

def refused(call, *arguments):
    try:
        call(*arguments)
    except (OSError, ValueError, AttributeError):
        return True
    return False

names = [(select, "epoll"), (selectors, "EpollSelector"), (os, "pidfd_open"), (os, "sched_setaffinity"), (os, "pipe2"),
         (os, "posix_fallocate"), (os, "memfd_create"), (os, "setresuid"), (signal, "pidfd_send_signal"),
         (socket, "SO_PASSCRED"), (socket, "SO_PEERCRED"), (socket, "SCM_CREDENTIALS"), (socket, "SOCK_SEQPACKET"),
         (socket, "SOCK_CLOEXEC"), (resource, "prlimit"), (resource, "RLIMIT_MSGQUEUE"), (ctypes.CDLL(None), "prctl")]
print([name for module, name in names if hasattr(module, name)])
bind = socket.socket(socket.AF_UNIX).bind
print(refused(open, "/proc/self/stat"), refused(os.stat, "/proc/self"), os.path.exists("/proc"),
      refused(bind, "\\0name"), refused(bind, tempfile.gettempdir() + "/" + "n" * 104), sys.platform)
alone = subprocess.run([interpreter(), "-I", "-S", "-c", "import os; print(hasattr(os, 'pidfd_open'))"], env={},
                       capture_output=True)
print(alone.stdout.decode().strip(), alone.stderr.decode())
"""
HANGS = """
import os, threading
from runtime.contract.invocation import Invocation, Limits, Script
from runtime.engines.egress import EgressRules
from runtime.engines.python_process.pool import PythonEngine

SCRIPT = '''
from runtime.sdk import Integration
integration = Integration()

@integration.on("site_view")
def viewed(event, context):
    import os
    context.log.info("%s", os.getpid())
    with open(WRITTEN, "w") as file:
        file.write(str(os.getpid()))
    while True:
        pass
'''.replace("WRITTEN", repr(os.environ["WRITTEN"]))
event = b'{"eventId": "e", "type": "site_view", "siteId": "s"}'
environment = b'{"integration": {"name": "hangs", "urls": {}}, "secrets": {}}'
engine = PythonEngine(sandbox="off", rules=EgressRules())
call = Invocation(Script("1", "python", SCRIPT), "t", event, environment, limits=Limits(wall=600.0))
engine.invoke(call, lambda trace: None)
"""


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables with which a Python lacks what is of Linux."""
    return without_linux.environment(tmp_path_factory.mktemp("mac"))


def python(lacking: dict[str, str], code: str, **more: str) -> subprocess.Popen[str]:
    path = f"{lacking['PYTHONPATH']}{os.pathsep}{ROOT}"
    return subprocess.Popen(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": path} | more, stdout=subprocess.PIPE, text=True
    )


def test_what_only_linux_has_is_gone(lacking: dict[str, str]) -> None:
    said, _ = python(lacking, NAMES).communicate(timeout=60)
    assert said.splitlines() == ["[]", "True True False True True darwin", "False "]


def test_every_engine_keeps_its_promises(lacking: dict[str, str], tmp_path: Path) -> None:
    suite = str(ROOT / "tests" / "contract" / "test_engines.py")
    options = ["-q", "-p", "no:xdist", "-p", "no:rerunfailures", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, suite],
        env=at_home(tmp_path) | lacking,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout


def test_a_script_that_hangs_ends_with_its_host(lacking: dict[str, str], tmp_path: Path) -> None:
    written = tmp_path / "pid"
    host = python(lacking, HANGS, WRITTEN=str(written))
    wait_for(lambda: written.exists() and written.read_text())
    worker = int(written.read_text())
    assert Path(f"/proc/{worker}").exists()
    host.kill()
    host.communicate()
    wait_for(lambda: not Path(f"/proc/{worker}").exists())


@pytest.fixture
def develop(lacking: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., DevProcess]]:
    running: list[DevProcess] = []

    def start(project: Path, *options: str, host: str | None = None) -> DevProcess:
        running.append(DevProcess(project, tmp_path, *options, host=host, environ=lacking))
        return running[-1]

    yield start
    for process in running:
        process.end()


DIAGRAM = pytest.param(
    "diagram-js",
    "src/index.tsx",
    ("const EXAMPLE", "const FORMER = 1;\nconst EXAMPLE"),
    marks=pytest.mark.skipif(
        not (SAMPLES / "diagram-js" / "node_modules" / ".installed").exists(),
        reason="the sample's packages are not installed: `make npm` installs them where there is an npm",
    ),
)


@pytest.mark.parametrize(("sample", "file", "change"), [("counter", "integration.py", ("Clicked", "Pressed")), DIAGRAM])
def test_a_project_is_developed(
    sample: str, file: str, change: tuple[str, str], develop: Callable[..., DevProcess], tmp_path: Path
) -> None:
    process = develop(copy_sample(sample, tmp_path))
    page = requests.get(process.url, timeout=60)
    assert (page.status_code, "<title>" in page.text) == (200, True)
    confinement = requests.get(f"http://127.0.0.1:{process.port}/readyz", timeout=60).json()["confinement"]
    assert (confinement["sandbox"], confinement["limits"]) == (False, "the time of each call")
    process.edit(file, change)
    process.wait("reloaded", version=2)
    sent = devkit(tmp_path, "trigger", "installation_setup", "--set", "status=active", folder=process.folder)
    assert sent.code == 0, sent.err
    event = process.wait("event")["event"]["event"]
    assert event["status"] == "success", event
    assert process.end() == 0
    (warning,) = [json.loads(line)["warning"]["message"] for line in process.errors if line.startswith('{"warning"')]
    assert "without a sandbox, which only Linux has" in warning
    assert "its memory and processor time are not limited" in warning


def test_commands_run_the_script(lacking: dict[str, str], tmp_path: Path) -> None:
    project = copy_sample("counter", tmp_path)
    (project / "test_it.py").write_text(
        "def test_it(integration):\n"
        '    assert "Clicked 1 time" in integration.render("counter").click("Click me").text\n'
    )
    drawn = devkit(tmp_path, "render", "counter", "--json", folder=project, **lacking)
    assert (drawn.code, json.loads(drawn.out)["state"]["count"]) == (0, 0), drawn.err
    assert drawn.err.count("which only Linux has") == 1
    tested = devkit(tmp_path, "test", "--sandboxed", folder=project, **lacking)
    assert (tested.code, "1 passed" in tested.out, "without a sandbox" in tested.err) == (0, True, True), tested.out
    looked = devkit(tmp_path, "doctor", "--json", folder=project, **lacking)
    assert looked.code == 0, looked.out
    assert [one["found"] for one in looked.json["findings"] if "confined" in one["found"]] == [
        "scripts cannot be confined on this system"
    ]


@pytest.mark.parametrize("command", [("render", "counter", "--sandbox", "required"), ("serve", "--data", "data")])
def test_nothing_is_served_without_a_sandbox_unless_told(
    command: tuple[str, ...], lacking: dict[str, str], tmp_path: Path
) -> None:
    done = devkit(tmp_path, *command, folder=copy_sample("counter", tmp_path), **lacking)
    assert (done.code, "scripts can be confined on Linux only" in done.err) == (1, True), done.err
    assert "use --sandbox off" in done.err


@pytest.fixture
def host(lacking: dict[str, str], tmp_path: Path) -> Iterator[HostProcess]:
    """A host that lacks it as well."""
    data = tmp_path / "host"
    data.mkdir()
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--sandbox", "off", environ=lacking).start()
    yield process
    assert process.stop() == 0


def test_a_tunnel_brings_events_of_a_host_here(
    host: HostProcess, develop: Callable[..., DevProcess], tmp_path: Path
) -> None:
    owner = tenant(host, "Owner", "owner@example.com")
    there: Installed = installed(owner)
    assert "Clicked 0 times" in there.render().text
    project = copy_sample("counter", tmp_path)
    manifest = project / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("name: counter", f"name: {there.name}"))
    script = project / "integration.py"
    script.write_text(script.read_text().replace("Clicked", "Here"))
    process = develop(project, "--token", owner.api.token or "", host=host.url)
    process.wait("ready")
    assert "Here 0 times" in there.render().text
    process.edit("integration.py", ("Here", "Changed"))
    process.wait("reloaded")
    assert "Changed 0 times" in there.render().text
    assert process.end(signal.SIGINT) == 0
    assert "Clicked 0 times" in there.render().text
