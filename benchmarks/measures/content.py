"""Content: a space of 5,000 pages is imported, read, edited, searched, merged and printed, on both databases."""

from __future__ import annotations

import io
import random
import shutil
import statistics
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests

from benchmarks.databases import KINDS, prepared
from benchmarks.hosts import Host, Unmeasurable
from benchmarks.memory import family, own
from benchmarks.results import Result

PAGES = 5000
CHARACTERS = 4000
"""Of Markdown on each page: 20 MB together."""
PRINTED = 100
MERGED = 100
TIMES = 200
PATIENCE = 600.0


def measure() -> Iterator[Result]:
    """Do what teams do with their documentation; peers are git, ripgrep and nothing for what neither does."""
    for program in ("git", "rg"):
        if shutil.which(program) is None:
            raise Unmeasurable(f"{program} is needed as a peer: on Debian apt-get install git ripgrep")
    texts = [text(number) for number in range(PAGES)]
    with TemporaryDirectory(prefix="bench-content-") as folder:
        files = Path(folder)
        peers = _peers(files, texts)
        for kind in KINDS:
            with prepared(kind) as (host, _):
                host.start()
                yield from _rows(host, kind, texts, peers)


def text(number: int) -> str:
    """Write the Markdown of a page: headings, links, code, a list and words that few pages share."""
    chance = random.Random(number)
    words = [chance.choice(WORDS) for _ in range(CHARACTERS // 7)]
    lines = [f"# Page {number}", "", f"About topic{number % 500} and [the next](page-{(number + 1) % PAGES}.md).", ""]
    for place in range(0, len(words), 90):
        lines += [f"## Part {place // 90}", "", " ".join(words[place : place + 60]) + ".", ""]
        lines += ["- " + " ".join(words[place + 60 : place + 75]), "- " + " ".join(words[place + 75 : place + 90]), ""]
    lines += ["```python", f"value = {number}", "```", ""]
    return "\n".join(lines)


WORDS = [
    "".join(random.Random(seed).choice("abcdefghijklmnopqrstuvwxyz") for _ in range(3 + seed % 8))
    for seed in range(4000)
]


class Peers:
    """What git and ripgrep need for the same."""

    def __init__(self) -> None:
        self.commit = self.edit = self.merge = 0.0
        self.search: list[float] = []


def _peers(folder: Path, texts: list[str]) -> Peers:
    """Time git and ripgrep on the same files."""
    peers = Peers()
    for number, written in enumerate(texts):
        (folder / f"page-{number}.md").write_text(written)

    def git(*words: str) -> float:
        began = time.perf_counter()
        command = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.com", *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return time.perf_counter() - began

    git("init", "-q", "-b", "main")
    peers.commit = git("add", ".") + git("commit", "-q", "-m", "import")
    git("checkout", "-q", "-b", "change")
    for number in range(MERGED):
        (folder / f"page-{number}.md").write_text(texts[number] + "\nChanged here.\n")
    git("commit", "-qam", "change")
    git("checkout", "-q", "main")
    (folder / f"page-{PAGES - 1}.md").write_text(texts[-1] + "\nChanged there.\n")
    peers.edit = git("commit", "-qam", "edit")
    peers.merge = git("merge", "-q", "--no-edit", "change")
    for query in _queries():
        began = time.perf_counter()
        subprocess.run(["rg", "-il", "--", query, "."], cwd=folder, capture_output=True)
        peers.search.append((time.perf_counter() - began) * 1000)
    return peers


def _queries() -> list[str]:
    chance = random.Random(7)
    return [chance.choice((chance.choice(WORDS), f"topic{chance.randrange(500)}")) for _ in range(TIMES)]


def _rows(host: Host, kind: str, texts: list[str], peers: Peers) -> Iterator[Result]:
    assert host.process is not None
    space = host.call("POST", f"/v1/orgs/{host.organization}/spaces", {"title": "Bench"})["id"]
    at = f"/v1/spaces/{space}"
    host.call("PATCH", at, {"editMode": "live"})  # else content comes by change requests alone
    with _Watch(host.process.pid) as watch:
        took = _import(host, at, texts)
        yield _row(kind, "import of 5,000 pages", "s", took, 60.0, peers.commit, "peer: git add and git commit")
        yield _edits(host, at, kind, peers, texts)
        paths = [page["path"] for page in host.call("GET", f"{at}/content/pages")["pages"]]
        chance = random.Random(3)

        def read() -> None:
            host.call("GET", f"{at}/content/path/{chance.choice(paths)}?format=document")

        yield _p99(kind, "page by path, while the search index is made", _times(read), 10.0)
        _indexed(host, at)
        yield _p99(kind, "page by path", _times(read), 10.0)
        yield _searches(host, at, kind, peers)
        links = _times(lambda: host.call("GET", f"{at}/links?limit=100"), 10)
        yield _row(kind, "links of the space", "s", max(links) / 1000, 1.0, None, "slowest of 10, 100 targets a page")
        yield _merge(host, at, kind, peers, texts)
        yield _pdf(host, at, kind)
    note = "most PSS of all processes of the host, those that read and print apart included"
    yield Result("content", f"{kind}: memory throughout", "MB", watch.most / 1e6, 400.0, True, note=note)


def _import(host: Host, at: str, texts: list[str]) -> float:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, written in enumerate(texts):
            archive.writestr(f"page-{number}.md", written)
    began = time.perf_counter()
    path = f"{host.url}{at}/content/import/upload?source=zip&name=bench.zip"
    answer = host.http.post(path, data=packed.getvalue(), timeout=60)
    answer.raise_for_status()
    begun = answer.json()
    while begun["status"] not in ("completed", "failed", "cancelled"):
        if time.perf_counter() - began > PATIENCE:
            raise Unmeasurable("the import did not end")
        time.sleep(0.2)
        begun = host.call("GET", f"{at}/imports/{begun['id']}")
    if begun["status"] != "completed":
        raise Unmeasurable(f"the import failed: {begun}")
    return time.perf_counter() - began


def _edits(host: Host, at: str, kind: str, peers: Peers, texts: list[str]) -> Result:
    page = host.call("GET", f"{at}/content/pages")["pages"][100]["id"]
    change = host.call("POST", f"{at}/change-requests", {"subject": "Edits"})["id"]
    path = f"{at}/change-requests/{change}/content"
    before = _stored(host)
    numbers = iter(range(1000))

    def edit() -> None:
        document = {"markdown": texts[100] + f"\n\nEdit {next(numbers)}.\n"}
        host.call("POST", path, {"changes": [{"type": "update_page", "id": page, "document": document}]})

    took = _times(edit, 30)
    grown = (_stored(host) - before) / 31 / 1000
    stored = f"; {grown:.0f} KB of database each" if kind == "SQLite" else ""
    note = f"median of 30, slowest {took[-1]:.0f} ms{stored}; peer: git commit -a"
    return _row(kind, "edit of one page", "ms", statistics.median(took), 50.0, peers.edit * 1000, note)


def _stored(host: Host) -> int:
    return sum(file.stat().st_size for file in host.data.glob("host.sqlite"))


def _indexed(host: Host, at: str) -> None:
    """Wait until all pages can be found."""
    deadline = time.perf_counter() + PATIENCE
    while not host.call("GET", f"{at}/search?query=topic499")["items"]:
        if time.perf_counter() > deadline:
            raise Unmeasurable("the index did not follow")
        time.sleep(0.5)
    time.sleep(10)  # what comes last in the index is not what is looked for


def _searches(host: Host, at: str, kind: str, peers: Peers) -> Result:
    queries = iter(_queries() * 2)
    took = _times(lambda: host.call("GET", f"{at}/search?limit=20&query={next(queries)}"))
    peer = sorted(peers.search)[-2]
    note = f"p99 of {TIMES}, 20 with excerpts; median {statistics.median(took):.0f} ms; peer: ripgrep -il, names alone"
    return _row(kind, "search", "ms", took[-2], 50.0, peer, note)


def _merge(host: Host, at: str, kind: str, peers: Peers, texts: list[str]) -> Result:
    pages = host.call("GET", f"{at}/content/pages")["pages"]
    change = host.call("POST", f"{at}/change-requests", {"subject": "Many"})["id"]
    path = f"{at}/change-requests/{change}"
    changes = [
        {"type": "update_page", "id": page["id"], "document": {"markdown": texts[number] + "\n\nChanged here.\n"}}
        for number, page in enumerate(pages[:MERGED])
    ]
    host.call("POST", f"{path}/content", {"changes": changes})
    other = host.call("POST", f"{at}/change-requests", {"subject": "Other"})["id"]
    one = {"type": "update_page", "id": pages[-1]["id"], "title": "Changed there"}
    host.call("POST", f"{at}/change-requests/{other}/content", {"changes": [one]})
    host.call("POST", f"{at}/change-requests/{other}/merge")
    began = time.perf_counter()
    if host.call("POST", f"{path}/merge")["result"] != "merge":
        raise Unmeasurable("the merge came to conflicts")
    took = time.perf_counter() - began
    return _row(kind, "merge of 100 changed pages", "s", took, 1.0, peers.merge, "peer: git merge")


def _pdf(host: Host, at: str, kind: str) -> Result:
    space = host.call("POST", f"/v1/orgs/{host.organization}/spaces", {"title": "Print"})["id"]
    path = f"/v1/spaces/{space}/change-requests"
    change = host.call("POST", path, {"subject": "Pages"})["id"]
    changes = [
        {"type": "insert_page", "title": f"Page {number}", "document": {"markdown": text(number)[:2500]}}
        for number in range(PRINTED)
    ]
    host.call("POST", f"{path}/{change}/content", {"changes": changes})
    host.call("POST", f"{path}/{change}/merge")
    began = time.perf_counter()
    url = host.call("GET", f"/v1/spaces/{space}/pdf")["url"]
    while (answer := requests.get(url, timeout=60)).status_code == 202:
        time.sleep(0.2)
    answer.raise_for_status()
    took = time.perf_counter() - began
    return _row(kind, "PDF of 100 pages", "s", took, 30.0, None, f"{len(answer.content) / 1e6:.1f} MB")


def _times(work: Callable[[], Any], times: int = TIMES) -> list[float]:
    """Time something again and again, after a first time; gives milliseconds, the longest last."""
    work()
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return sorted(took)


def _p99(kind: str, what: str, took: list[float], target: float) -> Result:
    return _row(kind, what, "ms", took[-2], target, None, f"p99 of {TIMES}; median {statistics.median(took):.1f} ms")


def _row(kind: str, what: str, unit: str, value: float, target: float, peer: float | None, note: str) -> Result:
    return Result("content", f"{kind}: {what}", unit, value, target, True, peer=peer, note=note)


class _Watch:
    """Looks at the memory of a host and all its processes the whole time."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            total = 0
            for pid in family(self._pid):
                try:
                    total += own(pid)[0]
                except ProcessLookupError:  # it has just ended
                    continue
            self.most = max(self.most, total)
