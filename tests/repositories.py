"""Real repositories, served over HTTP by a server of Git that is not ours."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo
from dulwich.server import DictBackend
from dulwich.web import make_wsgi_chain

MAIN = b"refs/heads/main"


class _Quiet(WSGIRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


class _Server(WSGIServer):
    daemon_threads = True


class Repository:
    """A bare repository in a folder; what is in its branch is set and read as files by their paths."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.repo = Repo.init_bare(str(folder))

    def commit(self, files: Mapping[str, bytes | str], message: str = "Change", ref: bytes = MAIN) -> str:
        """Make a commit that has these files, and no others; a value may be (mode, oid), too."""
        commit = Commit()
        commit.tree = self._tree(files)
        commit.parents = [self.repo.refs[ref]] if ref in self.repo.refs else []
        commit.author = commit.committer = b"Somebody <somebody@example.com>"
        commit.author_time = commit.commit_time = 1_700_000_000
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = message.encode()
        self.repo.object_store.add_object(commit)
        self.repo.refs[ref] = commit.id
        return str(commit.id.decode())

    def _tree(self, files: Mapping[str, Any]) -> bytes:
        tree, inside = Tree(), {}
        for path, content in files.items():
            first, slash, rest = path.partition("/")
            if slash:
                inside.setdefault(first, {})[rest] = content
            elif isinstance(content, tuple):
                tree.add(first.encode(), content[0], content[1])
            else:
                blob = Blob.from_string(content.encode() if isinstance(content, str) else content)
                self.repo.object_store.add_object(blob)
                tree.add(first.encode(), 0o100644, blob.id)
        for first, below in inside.items():
            tree.add(first.encode(), 0o40000, self._tree(below))
        self.repo.object_store.add_object(tree)
        return bytes(tree.id)

    def link(self, target: str) -> tuple[int, bytes]:
        """Make a symbolic link."""
        blob = Blob.from_string(target.encode())
        self.repo.object_store.add_object(blob)
        return 0o120000, blob.id

    def files(self, ref: bytes = MAIN) -> dict[str, str]:
        """Read all files of a branch; links and submodules as what they name."""
        found: dict[str, str] = {}

        def read(tree: bytes, path: str) -> None:
            for entry in self.repo[tree].items():
                whole = f"{path}{entry.path.decode()}"
                if entry.mode == 0o40000:
                    read(entry.sha, f"{whole}/")
                elif entry.mode == 0o160000:
                    found[whole] = f"submodule {entry.sha.decode()}"
                else:
                    found[whole] = self.repo[entry.sha].data.decode("utf-8", "replace")

        read(self.repo[self.repo.refs[ref]].tree, "")
        return found

    def tip(self, ref: bytes = MAIN) -> str | None:
        """Give the commit of a branch."""
        return str(self.repo.refs[ref].decode()) if ref in self.repo.refs else None

    def log(self, ref: bytes = MAIN) -> list[str]:
        """Give the messages of a branch, the newest first."""
        entries = self.repo.get_walker(include=[self.repo.refs[ref]])
        return [entry.commit.message.decode().strip() for entry in entries]


class GitServer:
    """Serves repositories below a folder; `before` is called with each request, and may answer it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._backend = DictBackend({})
        self._repositories = make_wsgi_chain(self._backend)
        self.before: Callable[[dict[str, Any], Any], Any] | None = None
        self.password: str | None = None
        self.asked: list[str] = []
        self._server = make_server("127.0.0.1", 0, self._answer, _Server, _Quiet)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def repository(self, name: str) -> Repository:
        """Make an empty repository at `/NAME.git`."""
        one = Repository(self.folder / name)
        self._backend.repos[f"/{name}.git"] = one.repo
        return one

    def address(self, name: str, credentials: str = "") -> str:
        """Give the address of a repository."""
        return f"http://{credentials}127.0.0.1:{self.port}/{name}.git"

    def _answer(self, environ: dict[str, Any], start: Any) -> Any:
        self.asked.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}")
        answer = self.before(environ, start) if self.before is not None else None
        if answer is not None:
            return answer
        wanted = f"Basic {base64.b64encode((self.password or '').encode()).decode()}"
        if self.password is not None and environ.get("HTTP_AUTHORIZATION") != wanted:
            start("401 Unauthorized", [("WWW-Authenticate", "Basic")])
            return [b""]
        return self._repositories(environ, start)

    def close(self) -> None:
        """Stop serving, and close what was served: an open pack is found by whichever test collects garbage next."""
        self._server.shutdown()
        self._server.server_close()
        for repo in self._backend.repos.values():
            repo.close()
