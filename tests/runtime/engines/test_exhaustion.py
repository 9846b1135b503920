"""A process that has no descriptor left: what accepts connections waits, without working, and goes on."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HEAD = """
import os, resource, socket, threading, time
from pathlib import Path

def used():
    return time.process_time()

def spend():
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    held = []
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return held

def look(connect, answered):
    first, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    held = spend()
    before = used()
    connect(first)  # for which a thread that already waits has its descriptor
    connect(client)
    time.sleep(1)
    assert used() - before < 0.3, f"it worked for {used() - before} s of a second in which there was nothing to do"
    for descriptor in held:
        os.close(descriptor)
    client.settimeout(10)
    answered(client)
    print("fine")
"""
PROXY = """
from runtime.engines.egress import EgressRules
from runtime.engines.egress_proxy import EgressProxy

proxy = EgressProxy(EgressRules())
listener = socket.socket(socket.AF_UNIX)
listener.bind("way")
listener.listen()
proxy.attach(listener)

def answered(client):
    assert client.recv(100).startswith(b"HTTP/1.1 ")  # whoever is no call's is turned away unasked

look(lambda client: client.connect("way"), answered)
proxy.close()
"""
TUNNEL = """
from runtime.engines.dev_tunnel.line import Line
from runtime.engines.dev_tunnel.messages import BUSY, CALL
from runtime.engines.frames import pack

line = Line(Path("."), "tunnel")
path = next(Path(".").glob("*.sock"))

def answered(client):
    client.sendall(pack(255, b""))
    assert client.recv(100) == b""  # a frame of no known kind: it hangs up

look(lambda client: client.connect(str(path)), answered)
os._exit(0)
"""


@pytest.mark.parametrize("program", [PROXY, TUNNEL], ids=["egress proxy", "tunnel"])
def test_acceptors_outlive_a_want_of_descriptors(program: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(HEAD + program)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.stdout.strip().endswith("fine"), ended.stderr
