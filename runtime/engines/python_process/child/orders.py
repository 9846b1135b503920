"""What a host and its zygote say on the control socket, a byte each; before it the settings, a line of JSON."""

from __future__ import annotations

UP = b"u"  # zygote to host: everything is imported
ORDER = b"o"  # host to zygote: make a worker for the socket that comes with this
TAKEN = b"t"  # zygote to host, without a sandbox: the socket has arrived
