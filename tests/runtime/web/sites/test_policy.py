"""The policy of a page that is read: opened for what blocks show, and never for what would run."""

from __future__ import annotations

import pytest

from runtime.contract.addresses import Addresses
from runtime.contract.security_policy import ROOM_ON_SITES, normalise
from runtime.contract.sites import SiteIntegrationScript
from runtime.web.sites.page_content import SampleBlock, SamplePage, SampleSite
from runtime.web.sites.policy import MAX_POLICY, policy_of, policy_of_read, policy_of_sample, scripts_that_fit

AT = Addresses("http://localhost:1", "http://localhost:1")
OF_THE_PAGE = 1000
"""Characters that are enough for what a page needs itself."""


def sources(place: int, many: int) -> str:
    return " ".join(["connect-src", *(f"https://a{place}-{number}.example" for number in range(many))])


def scripts_of(*policies: str) -> list[SiteIntegrationScript]:
    return [
        SiteIntegrationScript(script=f"https://host.example/{place}.js", content_security_policy=policy, cookies=False)
        for place, policy in enumerate(policies)
    ]


def test_a_block_opens_nothing_that_runs() -> None:
    at = AT
    asked = "default-src https://all.example; script-src 'unsafe-inline' https://cdn.example; img-src data: https:"
    policy = policy_of_read((), {"app": asked}, at, "site", at.site("site"), alive=True, style="")
    parts = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    assert parts["script-src"] == [f"{at.site_origin('site')}/sites/-/", f"{at.site_origin('site')}/contentkit/"]
    assert parts["worker-src"] == parts["object-src"] == ["'none'"]
    assert "https://all.example" in parts["media-src"] and "https:" in parts["img-src"]


def test_scripts_that_do_not_fit_together_are_left_out_whole() -> None:
    many = scripts_of(*(sources(place, 100) for place in range(40)), "connect-src https://last.example")
    chosen = scripts_that_fit(many)
    policy = policy_of(chosen, {"connect-src": ["https://own.example"]})
    assert [many.index(one) for one in chosen] == [0, 1, 2, 3, 4, 40]  # a short one still fits
    assert len(policy) < ROOM_ON_SITES + OF_THE_PAGE and "https://own.example" in policy
    assert "https://a4-99.example" in policy and "https://a5-" not in policy and "/5.js" not in policy
    alike = scripts_of(*(sources(0, 100) for _ in range(40)))
    assert scripts_that_fit(alike) == alike  # what several ask for is there once
    assert scripts_that_fit(scripts_of(sources(0, 1000))) == []


@pytest.mark.parametrize("count", [5, 20, 30, 40, 60, 200])
def test_a_policy_that_never_fits_is_warned_of(count: int) -> None:
    """What is asked for as a default counts for each kind of source."""
    asked = f"default-src 'self' {' '.join(f'https://host{place:03}.vendor.example' for place in range(count))}"
    fits = scripts_that_fit(scripts_of(asked)) != []
    assert fits == (count <= 30)
    assert bool(normalise(asked).warnings) == (not fits)
    assert not normalise(sources(0, 100)).warnings


def test_blocks_take_what_scripts_leave() -> None:
    drawn = {f"app-{place}": sources(place, 50) for place in range(100)}
    scripts = scripts_that_fit(scripts_of(*(sources(place, 100) for place in range(100, 140))))
    sample = SampleSite([SamplePage("", "", block=SampleBlock(one, "b", "s", "e", drawn[one])) for one in drawn])
    for found in (scripts, []):
        read = policy_of_read(found, drawn, AT, "site", AT.site("site"), alive=True, style="'sha256-abc='")
        for policy in (read, policy_of_sample(found, sample, AT, "site")):
            assert MAX_POLICY - 4500 < len(policy) < MAX_POLICY + 2 * OF_THE_PAGE < 16_000
            assert all(one.script in policy for one in found) and f"{AT.site_origin('site')}/contentkit/" in policy
            assert "https://a0-49.example" in policy and f"{AT.of_integration('app-0')}/" in policy
            assert "https://a99-" not in policy and "app-99" not in policy and "app-19" in policy
            assert policy.partition("; report-uri")[0].endswith("; base-uri 'none'; frame-ancestors 'self'")
