"""What a script can see of the machine it runs on: files, environment, network, other processes, modules."""

from __future__ import annotations

import sys

import pytest

from runtime.contract.invocation import Script
from tests.runtime.engines.conftest import Probe


def test_host_files_are_not_there(probe: Probe) -> None:
    got = probe(
        """
        import os
        return Response.json([os.path.exists(path) for path in request_paths()])
        """.replace(
            "request_paths()", repr(["/etc/passwd", "/etc", "/home", "/var", "/bin/sh", __file__, "/root/.ssh", "/sys"])
        )
    )

    assert got.json() == [False] * 8


def test_only_tmp_can_be_written(probe: Probe) -> None:
    got = probe(
        """
        import os
        writable = []
        for folder, folders, _ in os.walk("/"):
            if folder == "/proc":
                folders.clear()
                continue
            try:
                open(folder + "/written", "w").close()
                writable.append(folder)
            except OSError:
                pass
        return Response.json(writable)
        """
    )

    assert got.json() == ["/tmp"]


def test_proc_cannot_be_written(probe: Probe) -> None:
    got = probe("open('/proc/self/oom_score_adj', 'w').write('0')")

    assert "Read-only file system" in got.trace.fault.message


def test_environment_holds_nothing_of_the_host(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    got = probe("import os; return Response.json(sorted(os.environ))")

    assert set(got.json()) <= {
        "EGRESS_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "HOME", "LANG", "LC_CTYPE", "PATH",
        "PWD", "SSL_CERT_FILE", "TMPDIR", "TZ",
    }  # fmt: skip


def test_no_other_process_is_in_sight(probe: Probe) -> None:
    got = probe(
        """
        import os
        return Response.json([name for name in os.listdir("/proc") if name.isdigit()])
        """
    )

    assert got.json() == ["1"]


def test_user_has_no_rights(probe: Probe) -> None:
    got = probe(
        """
        import os
        status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
        names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
        return Response.json([os.getuid(), [int(status[name], 16) for name in names], status["NoNewPrivs"]])
        """
    )

    assert got.json() == [1000, [0] * 5, "1"]


@pytest.mark.parametrize("address", ["169.254.169.254", "10.0.0.1", "8.8.8.8", "192.168.0.1"])
def test_no_network_but_the_proxy(probe: Probe, address: str) -> None:
    got = probe(
        f"""
        import socket
        try:
            socket.create_connection(("{address}", 80), timeout=1)
        except OSError as error:
            return Response.json(error.strerror)
        """
    )

    assert got.json() == "Network is unreachable"


def test_loopback_is_the_workers_own(probe: Probe) -> None:
    got = probe(
        """
        import socket
        reached = []
        for port in range(1, 65536):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    # Not a connection to itself, which happens when the port is also the one chosen for this end.
                    if probe.getsockname() != probe.getpeername():
                        reached.append(port)
        return Response.json(reached)
        """
    )

    assert got.json() == [3128]


def test_only_a_listed_part_of_the_product_is_there(probe: Probe) -> None:
    got = probe(
        """
        import os, sys, runtime
        root = os.path.dirname(runtime.__file__)
        files = [os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names]
        loaded = [name for name in sys.modules if name.split(".")[0] == "runtime"]
        return Response.json({"files": files, "loaded": loaded})
        """
    )
    output = ("sdk/", "engines/python_process/child/")
    inits = ("__init__.py", "engines/__init__.py", "engines/frames.py", "engines/python_process/__init__.py")

    assert [name for name in got.json()["files"] if not name.startswith(output) and name not in inits] == []
    expected = ("runtime.sdk", "runtime.engines.frames", "runtime.engines.python_process.child")
    parents = ("runtime", "runtime.engines", "runtime.engines.python_process")
    assert [name for name in got.json()["loaded"] if not name.startswith(expected) and name not in parents] == []


def test_zygote_loads_the_standard_library_and_the_sdk_only(ask: Probe) -> None:
    source = """
import sys
loaded = sorted({name.partition(".")[0] for name in sys.modules})
from runtime.sdk import Integration, Response
integration = Integration()

@integration.fetch("GET", "/")
def run(request, context):
    return Response.json(loaded)
"""
    outside = set(ask(source).json()) - sys.stdlib_module_names - {"__main__", "integration", "runtime"}

    assert outside == set()


@pytest.mark.parametrize("name", ["requests", "jwt", "cryptography.fernet", "cryptography.x509", "sqlite3", "ssl"])
def test_module_may_be_imported(probe: Probe, name: str) -> None:
    assert probe(f"import {name}\nreturn Response.json('there')").json() == "there"


@pytest.mark.parametrize("name", ["flask", "sqlalchemy", "pydantic", "runtime.store", "runtime.contract", "pip"])
def test_module_may_not_be_imported(probe: Probe, name: str) -> None:
    got = probe(f"import {name}")

    assert got.outcome.status == 500
    assert "No module named" in got.trace.fault.message
    assert "requests" in got.trace.fault.hint


def test_two_tenants_share_nothing(ask: Probe) -> None:
    source = """
import os
from runtime.sdk import Integration, Response
integration = Integration()
seen = []

@integration.fetch("GET", "/")
def run(request, context):
    files = sorted(os.listdir("/tmp"))
    seen.append(1)
    open("/tmp/mark", "w").close()
    return Response.json([len(seen), files, sorted(os.listdir("/dev/shm"))])
"""
    shared = Script("two-tenants", "python", source)

    assert ask(shared, tenant="one").json() == [1, [], []]
    assert ask(shared, tenant="two").json() == [1, [], []]
    assert ask(shared, tenant="one").json() == [2, ["mark"], []]


def test_abstract_sockets_are_the_workers_own(ask: Probe) -> None:
    meeting = """
import socket
from runtime.sdk import Integration, Response
integration = Integration()
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0meeting-point")

@integration.fetch("GET", "/")
def run(request, context):
    return Response.json("there")
"""
    script = Script("abstract", "python", meeting)

    assert ask(script, tenant="one").json() == "there"
    assert ask(script, tenant="two").json() == "there"


def test_scripts_do_not_run_as_root(probe: Probe) -> None:
    inside, outside, count = probe("return Response.json(open('/proc/self/uid_map').read().split())").json()

    assert (inside, count) == ("1000", "1")
    assert outside != "0"
