"""Crawls a website: breadth first, below the start address, as robots.txt allows, with a pause between requests.

Fetched pages are kept as blobs and recorded in the job's progress, so that a restarted job fetches nothing
twice.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Collection, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from runtime.background.jobs import Job
from runtime.contract.addresses import shown_address
from runtime.contract.url_parts import split_url
from runtime.services.importing import fetching
from runtime.services.importing.fetching import Fetched, NotFetched
from runtime.services.importing.links import LONGEST_ADDRESS, same
from runtime.services.importing.transfer import CRAWLED, put_inside

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

FORBIDDEN = "The robots.txt of the website does not allow reading this page."

Read = Callable[[Path, Any], Any]
"""Calls a function in a separate process, with a folder and arguments."""
Tell = Callable[[int, int], None]
"""Takes how many pages were fetched, and how many are known."""


class Crawl:
    """A crawl in progress; `progress` is its whole state."""

    def __init__(self, job: Job, start: str, folder: Path, read: Read, rules: Read, tell: Tell) -> None:
        """Take the start address and a work folder; resumes from the job's progress.

        `read` finds the links of pages, `rules` what robots.txt says (`websites.links_of`, `robots.rules_of`).
        """
        self._job, self._start, self._folder, self._read, self._tell = job, start, folder, read, tell
        self._rules = rules
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
        self._allowed: dict[str, bool] = {}
        self._pause = PAUSE
        self._last = 0.0

    def run(self) -> None:
        """Fetch everything, and write `crawled.json` with it into the folder; raises NotFetched."""
        state = self._state
        if state["robots"] is None:
            state["robots"] = self._robots()
        self._look_up([self._start, *(address for address, _ in state["queue"])])
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
        """Fetch a page; None, recorded as a problem, if it is not one. Errors of the first page are raised."""
        first = self._state["base"] is None
        try:
            self._check(address)
            self._wait()
            fetched = fetching.get(
                self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_PAGE, allowed=self._may_follow
            )
            fetching.content(fetched)
            if fetched.content_type.partition(";")[0].strip().lower() not in HTML:
                raise NotFetched("The address is not an HTML page.")
        except NotFetched as error:
            if first:
                raise
            self._problem(f"{shown_address(address)[:150]}: {error}")
            return None
        if first:
            parts = split_url(fetched.url)
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
        begun = len(state["queue"])
        pictures = dict.fromkeys(state["pictures"])
        for address, _, depth in batch:
            links = found.get(address, {})
            for link in links.get("links", ()) if depth < DEEPEST else ():
                if len(state["queue"]) < MAX_QUEUED and self._is_inside(link) and self._see(link):
                    state["queue"].append([link, depth + 1])
            for picture in links.get("pictures", ()):
                if len(pictures) < MAX_PICTURES:
                    pictures[picture] = None
        state["pictures"] = [*pictures]
        self._look_up([address for address, _ in state["queue"][begun:]])

    def _fetch_pictures(self) -> None:
        state = self._state
        done = {address for address, _, _ in state["files"]}
        self._look_up([address for address in state["pictures"] if self._is_ours(address)])
        while state["pictures"]:
            address = state["pictures"].pop(0)
            if address in done:
                continue
            try:
                if self._is_ours(address) and not self._allows(address):
                    continue
                self._wait()
                fetched = fetching.get(self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_PICTURE)
                kind = fetched.content_type.partition(";")[0].strip().lower()
                if not kind.startswith("image/") or kind == "image/svg+xml":
                    raise NotFetched("The address is not an image.")
                state["files"].append([address, self._keep(fetching.content(fetched)), kind])
            except NotFetched as error:
                self._problem(f"{shown_address(address)[:150]}: {error}")
            if len(state["files"]) % READ_AT_ONCE == 0:
                self._save()

    def _is_ours(self, address: str) -> bool:
        base = self._state["base"]
        return base is not None and address.startswith(f"{base[0]}/")

    def _may_follow(self, address: str) -> bool:
        """Return whether a redirect stays in the website; raises NotFetched if robots.txt forbids its target."""
        inside = self._state["base"] is None or self._is_inside(address)
        if inside:
            self._check(address)
        return inside

    def _check(self, address: str) -> None:
        if not self._allows(address):
            raise NotFetched(FORBIDDEN)

    def _allows(self, address: str) -> bool:
        if address not in self._allowed:
            self._look_up([address])
        return self._allowed[address]

    def _look_up(self, addresses: Collection[str]) -> None:
        """Check many addresses against robots.txt at once, since each check takes a process."""
        text = self._state["robots"]
        found: Mapping[str, Any] = {"forbidden": (), "pause": None}
        if text.strip() and addresses:
            found = self._rules(self._folder, {"robots": text, "addresses": [*addresses]})
            asked = float(found["pause"] or 0)
            self._pause = min(max(PAUSE, asked if math.isfinite(asked) else PAUSE), LONGEST_PAUSE)
        forbidden = set(found["forbidden"])
        self._allowed |= {address: address not in forbidden for address in addresses}

    def _robots(self) -> str:
        parts = split_url(self._start)
        address = f"{parts.scheme}://{parts.netloc}/robots.txt"
        fetched = fetching.get(self._job.tools.egress, address, timeout=PAGE_TIMEOUT, max_bytes=MAX_ROBOTS)
        if fetched.status >= 500:
            raise NotFetched(f"The robots.txt of the website answered with {fetched.status}, so nothing is imported.")
        return fetched.body.decode("utf-8", "replace") if fetched.status == 200 else ""

    def _wait(self) -> None:
        left = self._last + self._pause - time.monotonic()
        if left > 0:
            self._job.lost.wait(left)
        self._job.check()
        self._last = time.monotonic()

    def _is_inside(self, address: str) -> bool:
        base = self._state["base"]
        parts = split_url(address)
        if base is None or f"{parts.scheme}://{parts.netloc.lower()}" != base[0] or len(address) > LONGEST_ADDRESS:
            return False
        return parts.path == base[1] or parts.path.startswith(f"{base[1]}/")

    def _see(self, address: str) -> bool:
        """Record an address; False if it was seen before."""
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
        blob = self._job.tools.blobs.put(BytesIO(body), MAX_PAGE + MAX_PICTURE, self._job.organization_id)
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
