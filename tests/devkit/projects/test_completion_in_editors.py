"""What an editor proposes while somebody types: asked of pyright's language server, as editors do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from tests.devkit.conftest import Shell

SERVER = shutil.which("pyright-langserver", path=sysconfig.get_path("scripts"))
TYPED = {
    "block": [
        ("def toggle(element: Element):\n", "    element.", {"state", "props", "context", "set_cache"}),
        ("def toggle(element: Element):\n", "    ui.", {"block", "button", "text", "open_modal"}),
    ],
    "event-handler": [
        (
            "def rated(event: PageFeedback, context: Context):\n",
            '    event["',
            {"feedback", "url", "visitor", "siteId"},
        ),
        (
            "def rated(event: PageFeedback, context: Context):\n",
            "    context.",
            {"api", "secrets", "log", "queue_task"},
        ),
    ],
}
"""Template -> after which line somebody types what, and what must be among the proposals."""


class Editor:
    """The least of an editor: speaks the Language Server Protocol."""

    def __init__(self, folder: Path) -> None:
        assert SERVER is not None
        self._number = 0
        self._server = subprocess.Popen(
            [SERVER, "--stdio"],
            env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "npm_config_offline": "true"},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.folder = folder
        place = {"uri": folder.as_uri(), "name": folder.name}
        able = {"workspace": {"configuration": True, "workspaceFolders": True}}
        self.ask("initialize", processId=os.getpid(), workspaceFolders=[place], capabilities=able)
        self._send("initialized", {})

    def ask(self, method: str, **params: Any) -> Any:
        """Ask for something, and answer what the server asks meanwhile."""
        self._number += 1
        self._send(method, params, self._number)
        while True:
            message = self._read()
            if message.get("id") == self._number and "method" not in message:
                return message["result"]
            if message.get("method") == "workspace/configuration":
                settings = {"python": {"pythonPath": sys.executable}}
                answers = [settings.get(item["section"], {}) for item in message["params"]["items"]]
                self._write({"id": message["id"], "result": answers})
            elif "id" in message and "method" in message:
                self._write({"id": message["id"], "result": None})

    def proposals(self, file: Path, after: str, typed: str) -> set[str]:
        """Give what is proposed behind what somebody types as a line of its own."""
        text = file.read_text(encoding="utf-8")
        place = text.index(after) + len(after)
        line = text[:place].count("\n")
        uri = file.as_uri() + f".{self._number}.py"
        document = {"uri": uri, "languageId": "python", "version": 1, "text": f"{text[:place]}{typed}\n{text[place:]}"}
        self._send("textDocument/didOpen", {"textDocument": document})
        position = {"line": line, "character": len(typed)}
        found = self.ask("textDocument/completion", textDocument={"uri": uri}, position=position)
        items = found["items"] if isinstance(found, dict) else found or []
        return {item["label"].strip("\"'") for item in items}

    def close(self) -> None:
        self._server.kill()
        self._server.wait()
        for stream in (self._server.stdin, self._server.stdout):
            if stream is not None:
                stream.close()

    def _send(self, method: str, params: Any, number: int | None = None) -> None:
        self._write({"method": method, "params": params} | ({} if number is None else {"id": number}))

    def _write(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the language server ended"
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message


def test_what_can_be_written_is_proposed(shell: Shell) -> None:
    for template, places in TYPED.items():
        folder = Path(shell("new", f"my-{template}", "--template", template, "--json").json["folder"])
        editor = Editor(folder)
        try:
            for after, typed, expected in places:
                proposed = editor.proposals(folder / "integration.py", after, typed)
                assert expected <= proposed, (typed, proposed)
        finally:
            editor.close()
