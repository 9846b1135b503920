"""Identifiers: 20 characters, and never the same twice, in however many threads and processes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from runtime.contract.identifiers import ALPHABET, LENGTH, new_id

FORKED = """
import os
from runtime.contract.identifiers import new_id

new_id()
reading, writing = os.pipe()
child = os.fork()
mine = "".join(new_id() + "\\n" for _ in range(200))
if child == 0:
    os.write(writing, mine.encode())
    os._exit(0)
os.waitpid(child, 0)
print(mine + os.read(reading, 65536).decode())
"""


def test_every_character_is_as_likely_as_any_other() -> None:
    made = [new_id() for _ in range(20_000)]
    assert {len(one) for one in made} == {LENGTH}
    for place in (0, 1, LENGTH - 2, LENGTH - 1):
        counts = Counter(one[place] for one in made)
        assert set(counts) == set(ALPHABET)
        assert max(counts.values()) < 2 * min(counts.values())  # each about 323 times, give or take 18


def test_none_is_made_twice_by_threads() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: new_id(), range(20_000)))
    assert len(set(made)) == len(made)


def test_none_is_made_twice_by_a_process_and_its_fork() -> None:
    said = subprocess.run([sys.executable, "-c", FORKED], check=True, capture_output=True, text=True).stdout.split()
    assert len(set(said)) == len(said) == 400
