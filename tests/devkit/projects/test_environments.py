"""Variables and environments of a manifest: what wins, what is missing, and that no value is ever shown."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from devkit.manifests import reading
from devkit.manifests.findings import InvalidProject
from devkit.projects import allowed, environments
from devkit.projects import project as projects
from devkit.projects.environments import PROCESS, Variable
from devkit.terminal.output import Problem

MANIFEST = """\
name: shop
title: Shop ${{ env.SUFFIX }}
script: integration.py
scopes: []
secrets:
  KEY: ${{ env.API_KEY }}
contentSecurityPolicy:
  script-src: "'self'"
envs:
  staging:
    title: Shop (staging)
    visibility: unlisted
    contentSecurityPolicy:
      connect-src: https://staging.example.com
    secrets:
      KEY: ${{ env.STAGING_KEY }}
  wrong:
    visibility: publik
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "integration.yaml").write_text(MANIFEST)
    (tmp_path / "integration.py").write_text("")
    for name in ("SUFFIX", "API_KEY", "STAGING_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_what_is_nearer_wins(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / ".env").write_text("SUFFIX='one'\nAPI_KEY=plain # a comment\nexport OTHER=\"a b\"\n")
    (shop / ".env.staging").write_text("API_KEY=staged\nSTAGING_KEY=s\n")
    assert projects.load(str(shop)).manifest.title == "Shop one"
    known = environments.variables(shop, "staging")
    assert (known["API_KEY"].value, known["API_KEY"].source) == ("staged", ".env.staging")
    assert (known["OTHER"].value, known["OTHER"].source) == ("a b", ".env")
    monkeypatch.setenv("API_KEY", "exported")
    with monkeypatch.context() as terminal:
        terminal.setattr(allowed, "at_terminal", lambda: True)
        assert environments.variables(shop, "staging")["API_KEY"].value == "staged"
    assert environments.variables(shop, "staging")["API_KEY"].value == "exported"  # as in CI
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "")
    assert environments.variables(shop, "staging")["API_KEY"].value == "staged"
    monkeypatch.setenv("DEVKIT_ALLOW_ENV", "API_KEY")
    known = environments.variables(shop, "staging")
    assert (known["API_KEY"].value, known["API_KEY"].source) == ("exported", PROCESS)


def test_an_environment_lies_over_the_rest(shop: Path) -> None:
    (shop / ".env").write_text("SUFFIX=x\nSTAGING_KEY=s\n")
    project = projects.load(str(shop), "staging")
    assert (project.manifest.title, project.manifest.visibility) == ("Shop (staging)", "unlisted")
    assert project.manifest.content_security_policy == {
        "script-src": "'self'",
        "connect-src": "https://staging.example.com",
    }
    assert projects.secrets(project) == {"KEY": "s"}
    assert projects.load(str(shop)).manifest.visibility == "private"


def test_a_fault_in_an_environment_is_shown_where_it_stands(shop: Path) -> None:
    (shop / ".env").write_text("SUFFIX=x\n")
    with pytest.raises(InvalidProject) as wrong:
        projects.load(str(shop), "wrong")
    finding = wrong.value.findings[0]
    assert (finding.line, finding.column, finding.source) == (18, 17, "    visibility: publik")
    assert "write `public`" in finding.message


@pytest.mark.parametrize(
    ("env", "hint"), [("stagin", "write --env staging"), ("production", "`envs` has staging, wrong")]
)
def test_an_environment_there_is_not(shop: Path, env: str, hint: str) -> None:
    (shop / ".env").write_text("SUFFIX=x\n")
    with pytest.raises(InvalidProject, match=hint):
        projects.load(str(shop), env)


def test_all_that_is_missing_is_named_at_once(shop: Path) -> None:
    with pytest.raises(InvalidProject) as wrong:
        projects.load(str(shop))
    assert [(finding.line, finding.column) for finding in wrong.value.findings] == [(2, 8), (6, 8)]
    assert ["`SUFFIX`" in wrong.value.findings[0].message, "`API_KEY`" in wrong.value.findings[1].message] == [
        True,
        True,
    ]


def test_a_file_that_is_none(shop: Path) -> None:
    (shop / ".env").write_text("FINE=1\nthis is no line\n")
    with pytest.raises(Problem, match=r"\.env:2: not `NAME=value`"):
        projects.load(str(shop))


def test_a_value_is_not_written_down() -> None:
    assert "hush" not in repr(Variable("hush", ".env"))


names = st.from_regex(r"[A-Z_]{1,8}", fullmatch=True)
texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=30)


@given(st.dictionaries(names, texts, max_size=4), st.lists(st.one_of(names, texts), max_size=6))
@settings(max_examples=200, deadline=None)
def test_what_is_filled_is_what_was_there_with_values_in_it(values: dict[str, str], parts: list[str]) -> None:
    known = {name: Variable(value, "test") for name, value in values.items()}
    safe = [part.replace("$", "") for part in parts]
    template = "".join(f"${{{{ env.{part} }}}}" if part in values else part for part in safe)
    assert environments.fill(template, known) == "".join(values.get(part, part) for part in safe)


json = st.recursive(
    st.one_of(st.integers(), st.text("abc", max_size=3)),
    lambda inner: st.dictionaries(st.text("xyz", min_size=1, max_size=2), inner, max_size=3),
)


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=2), json, max_size=3))
@settings(max_examples=100, deadline=None)
def test_laying_a_manifest_over_itself_changes_nothing(value: dict[str, object]) -> None:

    text = reading.parse("integration.yaml", yaml.safe_dump({**value, "envs": {"same": value}}))
    assert environments.chosen(text, "same").value == value
