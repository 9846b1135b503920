"""What the API works with: made once by `app.py`, handed to every call."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.api.auth import Authenticator
from runtime.api.objects import Objects
from runtime.contract.addresses import Addresses
from runtime.dispatch.announcing import Announcer
from runtime.dispatch.deliveries import Plans
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.purging import Purger
from runtime.dispatch.recorder import Recorder
from runtime.dispatch.tunnels import Tunnels
from runtime.dispatch.worker import Dispatcher
from runtime.engines.dev_tunnel.relay import Relay
from runtime.engines.table import Engines
from runtime.services.render_cache import RenderCache
from runtime.services.rendering import Renderer
from runtime.settings import Settings
from runtime.store.database import Database
from runtime.store.epoch import Remembered


@dataclass(frozen=True, slots=True)
class Host:
    """The parts of one host process."""

    settings: Settings
    addresses: Addresses
    database: Database
    engines: Engines
    relay: Relay
    tunnels: Tunnels
    recorder: Recorder
    announcer: Announcer
    plans: Plans
    invoker: Invoker
    dispatcher: Dispatcher
    purger: Purger
    authenticator: Authenticator
    renders: RenderCache
    renderer: Renderer
    named: Remembered[Objects]

    def close(self) -> None:
        """Finish what is in flight, write what is left, end every process and thread."""
        self.announcer.close()
        self.purger.close()
        self.dispatcher.close()
        self.engines.close()
        self.relay.close()
        self.recorder.close()
        self.database.close()
