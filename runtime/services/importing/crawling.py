"""Fetches the pages of a website: breadth first, below where it starts, as robots.txt allows, and not too fast.

What was fetched is kept as blobs and noted in the job's progress, so that whoever goes on after a kill fetches nothing
twice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from protego import Protego

from runtime.contract.addresses import shown_address
from runtime.dispatch.jobs import Job
from runtime.services.importing import fetching
from runtime.services.importing.fetching import AGENT, Fetched, NotFetched
from runtime.services.importing.handing_over import CRAWLED, put_inside
from runtime.services.importing.links import same

MAX_PAGES = 500
DEEPEST = 10
MAX_PICTURES = 1000
MAX_PAGE = 5 << 20
MAX_PICTURE = 10 << 20
MAX_BYTES = 500 << 20
"""Bytes of all that is fetched of a website."""
MAX_QUEUED = 2000
PAGE_TIMEOUT = 20.0
PAUSE = 0.1
"""Seconds between two requests, where robots.txt asks for nothing else."""
LONGEST_PAUSE = 5.0
READ_AT_ONCE = 20
MAX_ROBOTS = 500_000
MAX_PROBLEMS = 50
HTML = ("text/html", "application/xhtml+xml")

Read = Callable[[Path, Any], Any]
"""Calls a function apart with a folder and arguments."""
Tell = Callable[[int, int], None]
"""Takes how many pages were fetched, and how many are known."""


class Crawl:
    """A crawl under way; `progress` is all that it knows."""

    def __init__(self, job: Job, start: str, folder: Path, read: Read, tell: Tell) -> None:
        """Take where to start and a folder of its own; goes on with what the job's progress has."""
        self._job, self._start, self._folder, self._read, self._tell = job, start, folder, read, tell
        begun = job.progress.get("crawl")
        self._state: dict[str, Any] = begun or {
            "base": None,
            "robots": None,
            "queue": [[start, 0]],
            "seen": [same(start)],
            "pages": [],
            "pictures": [],
            "files": [],
            "bytes": 0,
            "problems": [],
        }
        self._seen = set(self._state["seen"])
        self._last = 0.0

    def run(self) -> None:
        """Fetch everything, and write `crawled.json` with it into the folder; raises NotFetched."""
        state = self._state
        if state["robots"] is None:
            state["robots"] = self._robots()
        self._rules = Protego.parse(state["robots"])
        while state["queue"] and len(state["pages"]) < MAX_PAGES:
            batch: list[tuple[str, str, int]] = []
            while state["queue"] and len(batch) < READ_AT_ONCE and len(state["pages"]) < MAX_PAGES:
                address, depth = state["queue"].pop(0)
                fetched = self._page(address)
                if fetched is not None:
                    name = self._keep(fetched.body)
                    state["pages"].append([fetched.url, name])
                    batch.append((fetched.url, name, depth))
                self._tell(len(state["pages"]), len(state["pages"]) + len(state["queue"]))
            self._follow(batch)
            self._save()
        self._fetch_pictures()
        self._save()
        self._write()

    def _page(self, address: str) -> Fetched | None:
        """Fetch a page; None for what is none, which is noted. What is wrong with the first one is raised."""
        first = self._state["base"] is None
        try:
            if not self._rules.can_fetch(address, AGENT):
                raise NotFetched("The robots.txt of the website does not allow to read this page.")
            self._wait()
            within = (lambda url: True) if first else self._is_inside
            fetched = fetching.get(
                self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_PAGE, allowed=within
            )
            fetching.content(fetched)
            if fetched.content_type.partition(";")[0].strip().lower() not in HTML:
                raise NotFetched("The address is no page of HTML.")
        except NotFetched as error:
            if first:
                raise
            self._problem(f"{shown_address(address)[:150]}: {error}")
            return None
        if first:
            if not self._rules.can_fetch(fetched.url, AGENT):
                raise NotFetched("The robots.txt of the website does not allow to read this page.")
            parts = urlsplit(fetched.url)
            path = parts.path.rpartition("/")[0] if "." in parts.path.rpartition("/")[2] else parts.path.rstrip("/")
            self._state["base"] = [f"{parts.scheme}://{parts.netloc.lower()}", path]
            self._see(fetched.url)
        elif same(fetched.url) != same(address) and not self._see(fetched.url):
            return None
        return fetched

    def _follow(self, batch: list[tuple[str, str, int]]) -> None:
        state = self._state
        given = [[address, name] for address, name, _ in batch]
        if not given:
            return
        found = self._read(self._folder, {"pages": given})
        for address, _, depth in batch:
            links = found.get(address, {})
            for link in links.get("links", ()) if depth < DEEPEST else ():
                if len(state["queue"]) < MAX_QUEUED and self._is_inside(link) and self._see(link):
                    state["queue"].append([link, depth + 1])
            shown = [one for one in links.get("pictures", ()) if one not in state["pictures"]]
            state["pictures"] += shown[: MAX_PICTURES - len(state["pictures"])]

    def _fetch_pictures(self) -> None:
        state = self._state
        done = {address for address, _, _ in state["files"]}
        while state["pictures"]:
            address = state["pictures"].pop(0)
            if address in done:
                continue
            try:
                if not self._may_fetch(address):
                    continue
                self._wait()
                fetched = fetching.get(self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_PICTURE)
                kind = fetched.content_type.partition(";")[0].strip().lower()
                if not kind.startswith("image/") or kind == "image/svg+xml":
                    raise NotFetched("The address is no picture.")
                state["files"].append([address, self._keep(fetching.content(fetched)), kind])
            except NotFetched as error:
                self._problem(f"{shown_address(address)[:150]}: {error}")
            if len(state["files"]) % READ_AT_ONCE == 0:
                self._save()

    def _may_fetch(self, address: str) -> bool:
        base = self._state["base"]
        ours = base is not None and address.startswith(f"{base[0]}/")
        return not ours or bool(self._rules.can_fetch(address, AGENT))

    def _robots(self) -> str:
        parts = urlsplit(self._start)
        address = f"{parts.scheme}://{parts.netloc}/robots.txt"
        fetched = fetching.get(self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_ROBOTS)
        if fetched.status >= 500:
            raise NotFetched(f"The robots.txt of the website answered with {fetched.status}, so that nothing is read.")
        return fetched.body.decode("utf-8", "replace") if fetched.status == 200 else ""

    def _wait(self) -> None:
        asked = self._rules.crawl_delay(AGENT)
        pause = min(max(PAUSE, float(asked or 0)), LONGEST_PAUSE)
        left = self._last + pause - time.monotonic()
        if left > 0:
            self._job.lost.wait(left)
        self._job.check()
        self._last = time.monotonic()

    def _is_inside(self, address: str) -> bool:
        base = self._state["base"]
        parts = urlsplit(address)
        if base is None or f"{parts.scheme}://{parts.netloc.lower()}" != base[0] or len(address) > 2048:
            return False
        return parts.path == base[1] or parts.path.startswith(f"{base[1]}/")

    def _see(self, address: str) -> bool:
        """Note an address; False for one that was seen before."""
        key = same(address)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _keep(self, body: bytes) -> str:
        state = self._state
        state["bytes"] += len(body)
        if state["bytes"] > MAX_BYTES:
            raise NotFetched(f"The website has more than {MAX_BYTES >> 20} MB; import a part of it.")
        blob = self._job.tools.blobs.put(BytesIO(body), MAX_PAGE + MAX_PICTURE)
        put_inside(self._folder, blob.name, body)
        return blob.name

    def _problem(self, sentence: str) -> None:
        if len(self._state["problems"]) < MAX_PROBLEMS:
            self._state["problems"].append(sentence)

    def _save(self) -> None:
        self._state["seen"] = [*self._seen]
        self._job.save({**self._job.progress, "crawl": self._state})

    def _write(self) -> None:
        state = self._state
        for name in {one[1] for one in (*state["pages"], *state["files"])}:
            if not (self._folder / name).exists():  # an attempt that died fetched it
                put_inside(self._folder, name, self._job.tools.blobs.read(name))
        names: Mapping[str, Any] = {
            "pages": state["pages"],
            "files": state["files"],
            "problems": state["problems"],
            "total": len(state["pages"]) + len(state["queue"]) + len(state["files"]) + len(state["problems"]),
        }
        put_inside(self._folder, CRAWLED, json.dumps(names).encode())
