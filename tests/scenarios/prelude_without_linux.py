"""Run first in processes that shall have no more than macOS has; `without_linux` writes what SETTINGS is."""

# mypy: ignore-errors
import ctypes
import importlib
import os
import resource
import sys
import time
import types

AF_UNIX = 1
LONGEST_ADDRESS = 103

# Without it no file would be found that says how this Python was built.
os.environ["_PYTHON_SYSCONFIGDATA_NAME"] = (
    f"_sysconfigdata_{sys.abiflags}_{sys.platform}_{sys.implementation._multiarch}"
)
sys.platform = "darwin"
sys._base_executable = SETTINGS["interpreter"]  # noqa: F821 - written before this
proxies = sys.modules["_scproxy"] = types.ModuleType("_scproxy")  # which urllib asks for the proxies of a Mac
proxies._get_proxies = proxies._get_proxy_settings = dict

for module, names in SETTINGS["names"].items():  # noqa: F821
    for place in filter(None, (module, SETTINGS["also"].get(module))):  # noqa: F821
        loaded = importlib.import_module(place)
        for name in names:
            vars(loaded).pop(name, None)


class Library(ctypes.CDLL):
    """A library without what only that of Linux exports."""

    def __getattr__(self, name):
        if name in SETTINGS["symbols"]:  # noqa: F821
            raise AttributeError(name)
        return super().__getattr__(name)


ctypes.CDLL = Library


def hook(event, arguments):
    """Refuse what Python says it is about to do."""
    if event in ("open", "os.listdir", "os.scandir"):
        refuse(arguments[0])
    elif event in ("socket.bind", "socket.connect") and arguments[0].family == AF_UNIX:
        address = os.fsencode(arguments[1])
        if len(address) > LONGEST_ADDRESS or address.startswith(b"\0"):
            raise OSError(f"AF_UNIX path too long: {address!r}")


def refuse(path):
    """Raise as if there were no /proc."""
    if isinstance(path, str | bytes | os.PathLike) and (os.fsencode(path) + b"/").startswith((b"/proc/", b"/sys/")):
        raise FileNotFoundError(2, "No such file or directory", path)


sys.addaudithook(hook)


def guarded(function):
    """Give a function of `os` that knows no /proc."""

    def call(path, *more, **named):
        refuse(path)
        return function(path, *more, **named)

    return call


for name in ("access", "lstat", "readlink", "stat", "statvfs"):
    setattr(os, name, guarded(getattr(os, name)))


def clock_gettime(clock, real=time.clock_gettime):
    """Read a clock that is not that of another process."""
    if clock < 0:
        raise OSError(22, "Invalid argument")
    return real(clock)


def setrlimit(which, limits, real=resource.setrlimit):
    """Set a limit, but none of addresses, which a Mac's processes have more of at their start."""
    if which == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    real(which, limits)


time.clock_gettime, resource.setrlimit = clock_gettime, setrlimit
