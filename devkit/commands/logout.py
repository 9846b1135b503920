"""`devkit logout`."""

from __future__ import annotations

import click

from devkit.hosts import credentials
from devkit.hosts.credentials import Kept
from devkit.terminal.output import Problem, json_option, print_result

EXAMPLES = """\b
Examples: devkit logout
          devkit logout docs"""


@click.command("logout", epilog=EXAMPLES)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """Forget a host and the token for it: the one called NAME, or the default.

    The token remains valid on the host; to revoke it, run `devkit tokens --revoke ID` first.
    """
    now = credentials.kept()
    if name is None and now.default is None:
        several = f"choose one of: {', '.join(now.hosts)}" if now.hosts else "you are not logged in to any host"
        raise Problem(several, hint="`devkit hosts` lists the hosts")
    gone = credentials.named(now, name or now.default or "", f"logout {name}", suggest_login=False)
    called = name if name in now.hosts else now.name_for(gone.host)
    left = {known: one for known, one in now.hosts.items() if known != called}
    # Of several that are left none is chosen by itself: a command would speak to one nobody meant.
    default = now.default if now.default in left else next(iter(left)) if len(left) == 1 else None
    credentials.write(Kept(left, default))
    text = f"Logged out of {gone.host}."
    if left and default is None:
        text += f" Choose the default with `devkit hosts --default NAME`: {', '.join(left)}."
    elif default is not None:
        text += f" The default is {default}."
    print_result(as_json, {"host": gone.host, "name": called, "default": default}, text)
