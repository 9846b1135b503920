"""What the tests run in a separate process."""

import os
import socket
from pathlib import Path

from runtime.engines.separate_process.answers import PROGRESS, Refused, Telling


def double(folder, arguments):
    (folder / "made.txt").write_text("made")
    return {"given": (folder / "given.txt").read_text(), "double": arguments["number"] * 2}


def refuse(folder, arguments):
    raise Refused("too-odd", "This file is too odd.")


def grow(folder, arguments):
    kept = []
    while True:
        kept.append(bytearray(10_000_000))


def dive(folder, arguments):
    return dive(folder, arguments)


def spin(folder, arguments):
    while True:
        pass


def sleep(folder, arguments):
    import time

    time.sleep(1000)


def end(folder, arguments):
    os._exit(3)


def write_much(folder, arguments):
    (folder / "much").write_bytes(b"\0" * 4_000_000)


def link_out(folder, arguments):
    (folder / "out").symlink_to("/etc/passwd")
    return True


def look_around(folder, arguments):
    seen = {}
    for name in arguments["files"]:
        try:
            seen[name] = len(Path(name).read_bytes())
        except OSError as error:
            seen[name] = type(error).__name__
    for address in (("127.0.0.1", arguments["port"]),):
        try:
            socket.create_connection(address, timeout=1).close()
            seen["network"] = True
        except OSError:
            seen["network"] = False
    try:
        (Path("/sandbox") / "written").write_text("")
        seen["writes"] = True
    except OSError:
        seen["writes"] = False
    seen["environment"] = sorted(os.environ)
    return seen


def answer_with(folder, arguments):
    answer = folder / ".answer.json"
    if arguments == "link":
        answer.symlink_to("/etc/hostname")
    elif arguments == "pipe":
        os.mkfifo(answer)
    elif arguments == "folder":
        answer.mkdir()
    else:
        answer.write_text(arguments)
    os._exit(0)


def tell(folder, arguments):
    import time

    telling = Telling(folder)
    for done in range(4):
        telling.tell(done, 4)
        time.sleep(0.3)
    return True


def tell_lies(folder, arguments):
    import time

    for said in arguments["said"]:
        (folder / PROGRESS).unlink(missing_ok=True)
        if said == "link":
            (folder / PROGRESS).symlink_to("/etc/hostname")
        else:
            (folder / PROGRESS).write_text(said)
        time.sleep(0.2)
    return True


def tell_niceness(folder, arguments):
    return os.nice(0)
