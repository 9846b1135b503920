"""All tables: importing this module makes the whole schema known, to migrations and to the tests that walk it."""

from __future__ import annotations

import importlib
import pkgutil

from runtime.store import tables
from runtime.store.database import Table

for _module in pkgutil.iter_modules(tables.__path__, f"{tables.__name__}."):
    importlib.import_module(_module.name)

TABLES: tuple[type[Table], ...] = tuple(
    sorted((mapper.class_ for mapper in Table.registry.mappers), key=lambda table: table.__tablename__)
)
