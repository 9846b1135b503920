"""Changed lines are found with the lines around them, also in long texts whose lines repeat."""

from __future__ import annotations

import pytest

from runtime.services.line_changes import MAX_LINES, Line, between


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("", "", []),
        ("a\nb", "a\nb", []),
        ("", "a", [Line("new", "a")]),
        ("a", "", [Line("gone", "a")]),
        ("a\nb\nc", "a\nx\nc", [Line("same", "a"), Line("gone", "b"), Line("new", "x"), Line("same", "c")]),
    ],
)
def test_lines_are_the_same_gone_or_new(before: str, after: str, shown: list[Line]) -> None:
    assert between(before, after) == (shown, False)


def test_what_is_far_from_a_change_is_left_out() -> None:
    lines = [str(number) for number in range(20)]
    shown, _ = between("\n".join(lines), "\n".join([*lines[:10], "x", *lines[11:]]))
    assert [line.text for line in shown] == ["", "7", "8", "9", "10", "x", "11", "12", "13", ""]
    assert shown[0].kind == shown[-1].kind == "gap"


def test_a_long_text_is_compared_up_to_a_bound() -> None:
    shown, cut = between("same\n" * MAX_LINES * 2, "other\n" * MAX_LINES * 2)
    assert len(shown) == MAX_LINES * 2 and cut


@pytest.mark.parametrize("separator", ["\u2028", "\r", "\x0b", "\x85", "\x1c"])
def test_separators_other_than_line_feeds_hide_no_change(separator: str) -> None:
    shown, cut = between(separator * MAX_LINES + "\nPay 111", separator * MAX_LINES + "\nPay 666")
    assert [line.text for line in shown][1:] == ["Pay 111", "Pay 666"] and not cut
