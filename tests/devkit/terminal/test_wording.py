"""The words that were probably meant."""

from __future__ import annotations

from typing import get_args

from devkit.terminal.wording import all_nearest
from runtime.contract.integrations import Scope


def test_one_that_is_much_nearer_is_the_only_one() -> None:
    assert all_nearest("visibilty", ["visibility", "blocks", "organization"]) == ["visibility"]
    assert all_nearest("zzz", ["visibility"]) == all_nearest("x", []) == []


def test_of_several_that_are_near_none_is_taken_for_the_one_meant() -> None:
    near = all_nearest("space:reed", get_args(Scope))
    assert len(near) > 1 and all(scope.startswith("space:") for scope in near)
