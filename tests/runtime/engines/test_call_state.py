"""What workers say of their errors is checked."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from runtime.engines.call_state import parse_fault

TEXTS = st.text(max_size=50)


def kept(text: str) -> str:
    return text.replace("\0", "\ufffd")


@given(TEXTS, TEXTS)
def test_every_message_can_be_stored_and_sent(message: str, source: str) -> None:
    """Half of a surrogate pair, which a file name that could not be decoded has, is replaced, and so is NUL."""
    message, source = message + "\0", source + "\0"
    fault = parse_fault(
        json.dumps(
            dict.fromkeys(("message", "file", "hint"), message + "\udcff") | {"source": source + "\udcff"}
        ).encode()
    )
    assert fault.message == kept(message) + "?"
    assert fault.file == fault.hint == fault.message and fault.source == kept(source) + "?"


def test_what_is_missing_stays_so() -> None:
    fault = parse_fault(b"{}")
    assert (fault.message, fault.source, fault.file, fault.line) == ("the script failed", None, None, None)
