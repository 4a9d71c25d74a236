"""The blob store of an installation; commands that use no files do not open it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from pathlib import Path

from docyard import log
from docyard.cli.installation import Installation
from docyard.errors import StoreUnavailable, WrongStore
from docyard.settings import Settings
from docyard.store.blobs import FolderBlobs, open_store

_CHECK_TIMEOUT = 10.0  # seconds; access to a share whose server is gone may hang for ever
_RETRY_SECONDS = 5.0


def blob_folder(settings: Settings) -> Path:
    """Return the folder of the blob store."""
    return settings.home / "blobs"


def open_blobs(installation: Installation) -> FolderBlobs:
    """Open the blob store, and create it at the first use; raise WrongStore if it belongs to another installation.

    A store that is unavailable is only reported, because it may come back at any time.
    """
    with installation.db.transaction() as conn:
        blobs = open_store(conn, FolderBlobs(blob_folder(installation.settings)))
    try:
        check_store(blobs)
    except WrongStore as error:
        raise WrongStore(f"{error} The folder is {blobs.folder}.") from error
    except StoreUnavailable as error:
        log.warn("store_unavailable", folder=blobs.folder, error=str(error))
    return blobs


def await_blobs(installation: Installation, stopped: threading.Event) -> FolderBlobs:
    """Open the blob store; wait for it if its id is not known yet. End the process if `stopped` is set meanwhile."""
    while not stopped.is_set():
        try:
            return open_blobs(installation)
        except WrongStore:
            raise
        except StoreUnavailable as error:
            log.warn("store_unavailable", folder=blob_folder(installation.settings), error=str(error))
        stopped.wait(_RETRY_SECONDS)
    raise SystemExit(0)


def check_store(blobs: FolderBlobs) -> None:
    """Raise StoreUnavailable if the store is unavailable or does not answer in time."""
    answer: Future[None] = Future()

    def check() -> None:
        try:
            blobs.check()
        except StoreUnavailable as error:
            answer.set_exception(error)
        else:
            answer.set_result(None)

    threading.Thread(target=check, name="store-check", daemon=True).start()
    try:
        answer.result(_CHECK_TIMEOUT)
    except TimeoutError:
        raise StoreUnavailable("The file store is not available: it does not answer.") from None
