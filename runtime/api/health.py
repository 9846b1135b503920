"""Health, readiness and metrics of a host, for its operator.

Load balancers may ask under any name whether the host is up and ready. Anything more is told only under names that
operators use: otherwise any web page could point a name of its own at this host and read it (DNS rebinding).
"""

from __future__ import annotations

import json
from typing import Any

from flask import Flask, Response
from sqlalchemy.exc import SQLAlchemyError

from runtime.api.content_origin import asked_host
from runtime.api.costly_text import CostlyText
from runtime.api.host import Host
from runtime.contract import errors
from runtime.store import queue
from runtime.store.epoch_rules import GLOBAL
from runtime.telemetry import metrics


def mount_health(app: Flask, host: Host) -> None:
    """Add `/healthz`, `/readyz` and `/metrics`."""

    def healthz() -> Response:
        return Response("ok\n", mimetype="text/plain")

    def readyz() -> Response:
        parts = {
            "database": _database(host),
            "disk": host.disk.writable(),
            "engines": host.engines.ready(),
            "dispatcher": host.dispatcher.ready(),
            "jobs": host.jobs.ready(),
        }
        ready = all(parts.values())
        report: dict[str, Any] = {"ready": ready}
        if host.addresses.is_operators(asked_host()):
            report |= parts
            if host.broker is not None:  # without which all work is done all the same, up to a second later
                report["broker"] = host.broker.connected()
            report |= {"confinement": host.engines.confinement(), "origins": host.addresses.origins}
        headers = {} if ready else {"Retry-After": "1"}
        return Response(json.dumps(report), 200 if ready else 503, headers, mimetype="application/json")

    counted = CostlyText(lambda: metrics.text(_queue(host), _broker(host)))

    def metrics_text() -> Response:
        if not host.addresses.is_operators(asked_host()):
            raise errors.NotFound(f"Metrics are served at {host.addresses.public_url} and addresses of this machine.")
        return Response(counted.read(), mimetype="text/plain; version=0.0.4")

    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    app.add_url_rule("/metrics", "metrics", metrics_text)


def _queue(host: Host) -> metrics.Queue | None:
    """Read the numbers of the queue; None while the database is unavailable, when the others matter most."""
    try:
        with host.database.transaction(writes=False) as session:
            return metrics.Queue(queue.depth(session), queue.oldest(session))
    except SQLAlchemyError:
        return None


def _broker(host: Host) -> bool | None:
    return None if host.broker is None else host.broker.connected()


def _database(host: Host) -> bool:
    try:
        host.database.check()
        host.database.epochs([GLOBAL])
    except SQLAlchemyError:
        return False
    return True
