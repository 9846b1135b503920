"""Streams of server-sent events, read while a test goes on."""

from __future__ import annotations

import threading

import requests

from tests.conftest import Api, wait_for


class Reading:
    """An open stream, read in the background until it ends."""

    def __init__(self, api: Api, path: str) -> None:
        headers = {"Authorization": f"Bearer {api.token}"}
        self._answer = requests.get(api.url + path, headers=headers, stream=True, timeout=(10, 60))
        assert self._answer.status_code == 200, self._answer.text
        self.text = ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        wait_for(lambda: self.text)

    def _read(self) -> None:
        for block in self._answer.iter_content(chunk_size=None):
            self.text += block.decode()

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()
