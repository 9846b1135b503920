"""`devkit publish`, `versions` and `rollback` against a real host: what changes is shown, and asked about."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devkit.commands.publish import PLACEHOLDER
from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Installed, Tenant
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import environment

TEMPLATES = Path(__file__).parents[3] / "templates"

PICTURE = Path(__file__).parents[3] / "templates" / "python" / "block" / "assets" / "icon.png"
HUSH = "s3cret-v4lue"
SCRIPT = """
from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("hello")
def hello(element):
    return ui.block(ui.text("version {n}"))
"""


class Shop:
    """A project under a name of its own, whose manifest and script a test changes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.name = folder, f"shop-{new_id()[:8].lower()}"
        self.more = ""
        self.scopes: list[str] = []
        folder.mkdir()
        self.write(1)

    def write(self, n: int) -> None:
        (self.folder / "integration.py").write_text(SCRIPT.replace("{n}", str(n)))
        (self.folder / "integration.yaml").write_text(
            f"name: {self.name}\ntitle: Shop\nscript: integration.py\nscopes: [{', '.join(self.scopes)}]\n"
            f"blocks: [{{id: hello, title: Hello}}]\nsecrets:\n  KEY: ${{{{ env.API_KEY }}}}\n{self.more}"
        )


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "shop")


@pytest.fixture
def publish(logged_in: Shell, shop: Shop, alpha: Tenant) -> Callable[..., object]:
    """Publish the project; its output never holds the secret."""

    def run(*options: str, **environ: str) -> object:
        given = {"API_KEY": HUSH, "DEVKIT_ALLOW_ENV": "API_KEY"} | environ
        done = logged_in("publish", str(shop.folder), "--organization", alpha.id, *options, **given)
        assert HUSH not in done.out + done.err
        return done

    return run


def rendered(alpha: Tenant, name: str) -> str:
    installation = alpha.api.post(f"/v1/integrations/{name}/installations", {"organization": alpha.id})
    if installation.status == 201:
        space = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": "A space"}).json["id"]
        alpha.api.post(f"/v1/integrations/{name}/installations/{installation.json['id']}/spaces", {"space": space})
        SPACES[name] = Installed(name, alpha, installation.json["id"], space, "")
    return SPACES[name].render("hello").text


SPACES: dict[str, Installed] = {}


@pytest.mark.parametrize(("address", "told"), [("/identity/authorize", True), ("https://id.example/identity", False)])
def test_addresses_of_the_identity_provider_of_dev_are_told(  # type: ignore[no-untyped-def]
    publish, address: str, told: bool
) -> None:
    done = publish("--dry-run", API_KEY=address)
    assert ("KEY is an address of the identity provider of `devkit dev`" in done.err) == told


def test_secrets_of_templates_are_told(publish) -> None:  # type: ignore[no-untyped-def]
    for value in (PLACEHOLDER, "of-my-own"):
        done = publish("--dry-run", API_KEY=value)
        assert ("KEY has the value of the template, which everybody knows" in done.err) == (value == PLACEHOLDER)


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_templates_have_the_secret_that_is_told(language: str) -> None:
    secrets = TEMPLATES / language / "webhook" / "dot.env"
    assert f"={PLACEHOLDER}" in secrets.read_text()


def test_the_same_is_not_published_twice(publish, shop: Shop, alpha: Tenant) -> None:  # type: ignore[no-untyped-def]
    def versions() -> int:
        count: int = alpha.api.get(f"/v1/integrations/{shop.name}/versions").json["count"]
        return count

    assert publish().out.splitlines()[-3].startswith(f"Published {shop.name} version 1: ")
    again = publish()
    sentence = f"{shop.name} is identical to version 1, which the host already runs: nothing was published. http"
    assert again.out.splitlines()[-3].startswith(sentence)
    told = publish("--json").json
    assert (told["version"], told["published"], told["differences"], versions()) == (1, False, [], 1)
    assert publish("--json", API_KEY="another").json["published"] is True, "a secret is a part of it"
    shutil.copy(PICTURE, shop.folder / "icon.png")
    for number, more in enumerate(("icon: icon.png\n", "icon: icon.png\npreviewImages: [icon.png]\n"), 3):
        shop.more = more
        shop.write(1)
        first, second = (publish("--json", API_KEY="another").json for _ in range(2))
        assert [(one["version"], one["published"]) for one in (first, second)] == [(number, True), (number, False)]
    shop.write(2)
    assert (publish("--json", API_KEY="another").json["version"], versions()) == (5, 5)


def test_what_changes_is_shown_and_what_widens_needs_a_yes(publish, shop: Shop, alpha: Tenant) -> None:  # type: ignore[no-untyped-def]
    tried = publish("--dry-run", "--json").json
    assert (tried["published"], tried["new"], [difference["what"] for difference in tried["differences"]]) == (
        False,
        True,
        ["block hello"],
    )
    first = publish()
    assert (first.code, "error" in first.err) == (0, False)
    title, brings, published, endpoint, following = first.out.splitlines()
    assert endpoint.endswith(f"/v1/integrations/{shop.name}/integration")
    assert title.startswith(f"{shop.name} is new on http://") and title.endswith(" and brings")
    assert brings == "  + block hello"
    assert published.startswith(f"Published {shop.name} version 1: ")
    assert following.startswith(f"Next: `devkit install {shop.name} --all-")
    shop.write(2)
    again = publish()
    assert "the manifest does not change" in again.out and "version 2: " in again.out
    shop.scopes = ["page:feedback:read"]
    shop.more = (
        "visibility: unlisted\ncontentSecurityPolicy: {script-src: \"'self' cdn.example.com\"}\nsummary: Sells.\n"
    )
    shop.write(3)
    refused = publish()
    assert refused.code == 1
    assert refused.out.splitlines()[1:] == [
        "  + scope page:feedback:read",
        "  + content security policy: script-src 'self'",
        "  + content security policy: script-src cdn.example.com",
        "  ~ visibility: private -> unlisted",
        "  ~ summary: nothing -> Sells.",
    ]
    assert refused.err.count("error: ") == 1
    assert "give --yes to confirm" in refused.err
    assert alpha.api.get(f"/v1/integrations/{shop.name}").json["version"] == 2
    dry = publish("--dry-run", "--json")
    assert (dry.json["published"], len(dry.json["differences"])) == (False, 5)
    assert publish("--yes", "--json").json["version"] == 3
    shop.scopes, shop.more = [], ""
    shop.write(4)
    narrower = publish()
    assert (narrower.code, "  - scope page:feedback:read" in narrower.out) == (0, True)


def test_what_documents_may_use_is_not_removed_without_a_yes(publish, logged_in: Shell, shop: Shop) -> None:  # type: ignore[no-untyped-def]
    hello = SCRIPT.partition("@")[2]
    more = [
        f"@{hello}".replace('"hello"', f'"{name}"').replace("def hello", f"def {name}") for name in ("other", "more")
    ]
    (shop.folder / "integration.py").write_text("\n\n".join([SCRIPT, *more]))
    assert publish().code == 0
    manifest = shop.folder / "integration.yaml"
    before = manifest.read_text()
    manifest.write_text(before.replace("id: hello", "id: other"))
    refused = publish()
    assert refused.code == 1 and "  - block hello" in refused.out
    assert (
        "removes what documents may use (block hello)" in refused.err and "change `name` in the manifest" in refused.err
    )
    told = publish("--yes", "--json").json
    assert (told["version"], [one["removes"] for one in told["differences"]]) == (2, [True, False])
    back = logged_in("rollback", shop.name, "1")
    assert back.code == 1 and "removes what documents may use (block other)" in back.err
    assert logged_in("rollback", shop.name, "1", "--yes").code == 0
    manifest.write_text(before.replace("blocks: [{", "blocks: [{id: more, title: More}, {"))
    assert publish().code == 0, "nothing goes"


@pytest.mark.parametrize(("typed", "version"), [("y\n", 2), ("n\n", 1), ("\x03", 1)])
def test_somebody_at_a_terminal_is_asked(
    publish,
    shop: Shop,
    host: HostProcess,
    alpha: Tenant,
    tmp_path: Path,
    typed: str,
    version: int,  # type: ignore[no-untyped-def]
) -> None:
    assert publish().code == 0
    shop.scopes = ["page:feedback:read"]
    shop.write(2)
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "devkit", "publish", str(shop.folder), "--organization", alpha.id]
    process = subprocess.Popen(
        command, env=environment(tmp_path, API_KEY=HUSH, DEVKIT_ALLOW_ENV="API_KEY", TERM="xterm"),
        stdin=slave, stdout=slave, stderr=slave, preexec_fn=os.setsid,
    )  # fmt: skip
    output = b""
    while b"[y/N]" not in output:
        assert select.select([master], [], [], 60)[0], output
        output += os.read(master, 65536)
    if typed != "\x03":
        os.write(master, typed.encode())
    for _ in range(30):
        if typed == "\x03":  # one that falls between the question and its answer is pressed again
            process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=2)
            break
        except subprocess.TimeoutExpired:
            continue
    code = process.wait(timeout=1)
    os.close(master)
    os.close(slave)
    assert code == {"y\n": 0, "n\n": 1, "\x03": 130}[typed]
    assert HUSH.encode() not in output
    assert alpha.api.get(f"/v1/integrations/{shop.name}").json["version"] == version


def test_what_is_wrong_is_reported_before_anything_is_sent(publish, shop: Shop, alpha: Tenant) -> None:  # type: ignore[no-untyped-def]
    missing = publish(API_KEY="", PATH=os.environ["PATH"])
    assert missing.code == 0, "an empty variable is set"
    (shop.folder / "integration.py").write_text("def broken(:\n")
    broken = publish()
    assert (broken.code, broken.err.startswith("error: integration.py:1:12:")) == (1, True), broken.err
    shop.write(2)
    manifest = shop.folder / "integration.yaml"
    manifest.write_text(manifest.read_text().replace("id: hello", "id: hallo"))
    renamed = publish()
    assert (renamed.code, "registers no component `hallo`: write `hello`" in renamed.err) == (1, True), renamed.err
    script = shop.folder / "integration.py"
    script.write_text(
        script.read_text()
        + "\n\nregister = integration.component\nregister('hal' + 'lo')(lambda element: ui.block())\n"
    )
    assert publish("--dry-run").code == 0, "what the text does not show is decided where the script runs"
    assert alpha.api.get(f"/v1/integrations/{shop.name}").json["version"] == 1


def test_variables_that_are_not_set_and_a_token_that_may_not(
    logged_in: Shell, shop: Shop, alpha: Tenant, beta: Tenant
) -> None:
    done = logged_in("publish", str(shop.folder), "--organization", alpha.id)
    assert (done.code, "integration.yaml:7:8: the variable `API_KEY` is not set" in done.err) == (1, True)
    taken = logged_in("publish", str(shop.folder), "--organization", alpha.id, API_KEY=HUSH, DEVKIT_ALLOW_ENV="")
    assert taken.code == 1 and "`devkit secrets --allow API_KEY` lets it" in taken.err
    assert HUSH not in taken.out + taken.err
    other = logged_in(
        "publish",
        str(shop.folder),
        "--organization",
        alpha.id,
        "--token",
        beta.api.token or "",
        API_KEY=HUSH,
        DEVKIT_ALLOW_ENV="API_KEY",
    )
    assert (other.code, other.err.count("error: "), HUSH in other.err) == (1, 1, False)
    assert alpha.api.get(f"/v1/integrations/{shop.name}").status == 404
    nowhere = logged_in("publish", str(shop.folder), "--organization", "nope", API_KEY=HUSH, DEVKIT_ALLOW_ENV="API_KEY")
    assert nowhere.code == 1 and f"no organization `nope`, or this token does not belong to it; yours: {alpha.id}" in (
        nowhere.err
    )


def test_an_environment_is_published_under_its_own_name(publish, shop: Shop, alpha: Tenant) -> None:  # type: ignore[no-untyped-def]
    staging = f"{shop.name}-staging"
    shop.more = f"envs:\n  staging:\n    name: {staging}\n    title: Shop staging\n"
    shop.write(1)
    assert publish("--env", "staging", "--json").json["name"] == staging
    assert alpha.api.get(f"/v1/integrations/{staging}").json["title"] == "Shop staging"
    assert alpha.api.get(f"/v1/integrations/{shop.name}").status == 404


def test_versions_are_listed_and_gone_back_to(publish, logged_in: Shell, shop: Shop, alpha: Tenant) -> None:  # type: ignore[no-untyped-def]
    for n in (1, 2, 3):
        shop.scopes = ["page:feedback:read"] if n == 1 else []
        shop.write(n)
        assert publish().code == 0
    assert "version 3" in rendered(alpha, shop.name)
    listed = logged_in("versions", shop.name)
    assert [line.split()[0:2] for line in listed.out.splitlines()] == [
        ["*", "3"],
        ["2", listed.out.splitlines()[1].split()[1]],
        ["1", listed.out.splitlines()[2].split()[1]],
    ]
    back = logged_in("rollback", shop.name, "--last")
    assert (back.code, back.out) == (0, f"{shop.name} runs version 2 again, as version 4.\n")
    assert "version 2" in rendered(alpha, shop.name)
    output = logged_in("rollback", shop.name, "1")
    assert (output.code, "+ scope page:feedback:read" in output.out, "give --yes" in output.err) == (1, True, True)
    first = logged_in("rollback", shop.name, "1", "--yes", "--json")
    assert (first.json["version"], first.json["scopes"]) == (5, ["page:feedback:read"])
    assert "version 1" in rendered(alpha, shop.name)
    stored = logged_in("versions", shop.name, "--json", "--limit", "2").json["versions"]
    assert [(version["version"], version["current"]) for version in stored] == [(5, True), (4, False)]
    assert HUSH not in str(stored)
    for wrong, sentence in (("9", "has no version 9; the host keeps 5, 4, 3, 2, 1"), ("5", "runs version 5 now")):
        refused = logged_in("rollback", shop.name, wrong)
        assert (refused.code, sentence in refused.err) == (1, True), refused.err
    assert logged_in("rollback", shop.name).code == 2


def test_versions_of_somebody_else_and_of_nothing(
    publish,
    logged_in: Shell,
    shop: Shop,
    host: HostProcess,
    beta: Tenant,
    alpha: Tenant,  # type: ignore[no-untyped-def]
) -> None:
    publish()
    other = logged_in("versions", shop.name, "--token", beta.api.token or "")
    assert (other.code, "There is no integration" in other.err) == (1, True)
    foreign: Api = beta.api
    assert foreign.post(f"/v1/integrations/{shop.name}/rollback", {"version": 1}).status == 404
    assert alpha.api.post(f"/v1/integrations/{shop.name}/rollback", {"version": 7}).status == 404
    assert logged_in("rollback", "nothing-here", "1").code == 1
