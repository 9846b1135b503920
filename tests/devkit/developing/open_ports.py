"""Ports at which processes listen, and what they answer another user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from devkit.developing import peer_user

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
STRANGER = 65534
ASKS = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as connection:
    try:
        connection.sendall(sys.argv[2].encode())
        sys.stdout.write(connection.recv(1000).decode("latin-1"))
    except ConnectionError:
        pass
"""


def asked_by_a_stranger(port: int, words: str = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") -> str:
    """Give what a port answers another user of the machine."""
    return subprocess.run(
        ["/usr/bin/env", "python3", "-c", ASKS, str(port), words],
        user=STRANGER, group=STRANGER, extra_groups=[], env={"PATH": os.defpath}, cwd="/",
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip


def listening(place: Path) -> set[int]:
    """Give the ports of 127.0.0.1 at which processes listen with a path in their environment or arguments."""
    inodes = set()
    for process in Path("/proc").iterdir():
        try:
            given = (process / "environ", process / "cmdline") if process.name.isdigit() else ()
            if any(str(place).encode() in file.read_bytes() for file in given):
                inodes |= {str(descriptor.readlink()) for descriptor in (process / "fd").iterdir()}
        except OSError:  # it has just ended
            continue
    rows = [line.split() for line in peer_user.TABLE.read_text().splitlines()[1:]]
    return {
        int(row[1].split(":")[1], 16) for row in rows if row[3] == peer_user.LISTENS and f"socket:[{row[9]}]" in inodes
    }
