"""Every setting is documented, and read from the environment."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from runtime.settings import PREFIX, BadSetting, Settings, read_settings

HOSTING = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text()


@pytest.mark.parametrize("name", [entry.name for entry in fields(Settings)])
def test_each_setting_is_documented(name: str) -> None:
    assert f"`{PREFIX}{name.upper()}`" in HOSTING


@pytest.mark.parametrize("entry", fields(Settings), ids=lambda entry: entry.name)
def test_each_setting_says_what_it_is(entry: object) -> None:
    assert entry.metadata["about"]  # type: ignore[attr-defined]


def test_the_environment_is_read_and_what_is_given_wins() -> None:
    environ = {"DEVKIT_WALL_SECONDS": "5", "DEVKIT_ALLOW_EGRESS": "a.example, b.example:80", "DEVKIT_PREVIEW": "1"}
    settings = read_settings(environ, data="x", retry_seconds=(1.0,))
    assert settings.limits.wall == 5
    assert settings.allow_egress == ("a.example", "b.example:80")
    assert settings.preview is True
    assert settings.retry_seconds == (1.0,)
    assert read_settings({"DEVKIT_DATA": "there"}, data="here").data == "here"
    assert read_settings({"DEVKIT_RETRY_SECONDS": "1,2.5"}).retry_seconds == (1.0, 2.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WALL_SECONDS", "long"),
        ("PREVIEW", "maybe"),
        ("SANDBOX", "on"),
        ("KEEP_EVENTS", "1.5"),
        ("ORGANIZATION_STORAGE", "nan"),
        ("ORGANIZATION_STORAGE", "inf"),
        ("ORGANIZATION_STORAGE", "-1"),
    ],
)
def test_what_cannot_be_read_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as refused:
        read_settings({f"DEVKIT_{name}": value})
    assert str(refused.value).startswith(f"DEVKIT_{name}=")


NUMBERS = [entry for entry in fields(Settings) if "float" in str(entry.type) or str(entry.type) == "int"]


@pytest.mark.parametrize("entry", NUMBERS, ids=lambda entry: entry.name)
def test_numbers_are_bounded(entry: Any) -> None:
    least, most = entry.metadata["least"], entry.metadata["most"]
    shared = {"DEVKIT_DATABASE_URL": "postgresql://x/y"}
    name = PREFIX + entry.name.upper()
    for fits in (least, most):
        read_settings(shared | {name: str(fits)})
    refused = [str(least - 1), str(most + 1), "-1"]
    if "float" in entry.type:
        refused += ["nan", "inf"]
    if entry.type.startswith("tuple"):
        refused.append(f"{least},{most + 1}")
    for text in refused:
        with pytest.raises(BadSetting, match=f"{name}=.*from {least} to {most}"):
            read_settings(shared | {name: text})


@pytest.mark.parametrize("name", ["DISPATCH_THREADS", "JOB_THREADS"])
def test_only_a_host_that_shares_its_database_leaves_work_to_others(name: str) -> None:
    with pytest.raises(BadSetting, match="DATABASE_URL"):
        read_settings({PREFIX + name: "0", "DEVKIT_DATA": "x"})
    with pytest.raises(BadSetting, match="PostgreSQL"):
        read_settings({PREFIX + name: "0", "DEVKIT_DATABASE_URL": "sqlite:///x.sqlite"})
    read_settings({PREFIX + name: "0", "DEVKIT_DATABASE_URL": "postgresql://x/y"})


def test_a_database_is_needed() -> None:
    with pytest.raises(BadSetting, match="data folder"):
        _ = Settings().database_address
    assert Settings(database_url="postgresql://x/y").database_address == "postgresql://x/y"


@pytest.mark.parametrize(
    ("environ", "origin"),
    [
        ({}, "http://127.0.0.1:8080"),
        ({"PUBLIC_URL": "https://docs.example/"}, "https://docs.example"),
        ({"CONTENT_URL": "https://*.content.example/"}, "https://*.content.example"),
        ({"PREVIEW": "1"}, "http://*.localhost:8080"),
        ({"PREVIEW": "1", "PUBLIC_URL": "http://[::1]:9"}, "http://*.localhost:9"),
        ({"PREVIEW": "1", "CONTENT_URL": "http://localhost:8080"}, "http://localhost:8080"),
        (
            {"PREVIEW": "1", "PUBLIC_URL": "https://a.example", "CONTENT_URL": "https://a.example:1"},
            "https://a.example:1",
        ),
    ],
)
def test_where_scripts_answer(environ: dict[str, str], origin: str) -> None:
    assert read_settings({PREFIX + name: value for name, value in environ.items()}).content_origin == origin


@pytest.mark.parametrize(
    "environ",
    [
        {"CONTENT_URL": "https://*.com"},
        {"CONTENT_URL": "content.example"},
        {"PUBLIC_URL": "docs.example"},
        {"PUBLIC_URL": "ftp://docs.example"},
        {"PUBLIC_URL": "https://[docs"},
        # The preview's pages hold an author's token.
        {"PREVIEW": "1", "PUBLIC_URL": "https://docs.example"},
        {"PREVIEW": "1", "PUBLIC_URL": "http://localhost:8080"},
        {"PREVIEW": "1", "CONTENT_URL": "http://127.0.0.1:8080"},
        # Cookies for the domain of content would reach the platform.
        {"PUBLIC_URL": "https://content.example", "CONTENT_URL": "https://*.content.example"},
        {"PUBLIC_URL": "https://docs.content.example", "CONTENT_URL": "https://*.content.example"},
        {"PUBLIC_URL": "http://localhost:1", "CONTENT_URL": "http://*.localhost:1"},
    ],
)
def test_origins_that_keep_nothing_apart_are_refused(environ: dict[str, str]) -> None:
    with pytest.raises(BadSetting, match="_URL") as refused:
        read_settings({PREFIX + name: value for name, value in environ.items()})
    assert "\n" not in str(refused.value)
