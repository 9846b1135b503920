"""A PostgreSQL server of a test's own, which may be stopped and started while hosts use it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

MISSING = "there are no programs of PostgreSQL in /usr/lib/postgresql"


class PostgresServer:
    """A server with files of its own, on a port of this machine; `remove` takes both away."""

    def __init__(self, port: int) -> None:
        """Make its files. As root it belongs to `postgres`: PostgreSQL refuses to run as root."""
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        if not programs:
            pytest.skip(MISSING)
        self._programs, self._port = programs[-1], port
        self._folder = folder = Path(tempfile.mkdtemp(prefix="devkit-"))  # `postgres` may not enter folders of pytest
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._as: list[str] = []
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
            self._as = ["runuser", "-u", "postgres", "--"]
        options = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._run("initdb", *options)

    def start(self, *settings: str) -> None:
        """Start it, with settings as `name=value`, and wait until it answers."""
        given = "".join(f" -c {setting}" for setting in ("listen_addresses=127.0.0.1", "fsync=off", *settings))
        self._run(
            "pg_ctl", "-w", "-l", f"{self._folder}/log", "-o", f"-p {self._port} -k {self._folder}{given}", "start"
        )

    def stop(self) -> None:
        """Stop it at once, as when its machine fails: clients lose their connections."""
        self._run("pg_ctl", "-m", "immediate", "stop")

    def remove(self) -> None:
        """Stop it if it runs, and remove its files."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder)

    @property
    def log(self) -> str:
        """What it wrote into its log."""
        return (self._folder / "log").read_text()

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        # Not a pipe: the server keeps what it is started with for as long as it runs.
        with (self._folder / "commands.log").open("ab") as out:
            subprocess.run(command, cwd="/", stdout=out, stderr=out, check=True, timeout=60)
