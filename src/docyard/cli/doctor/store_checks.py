"""The check of the blob store: whether it is the right one, available, and has space left."""

from __future__ import annotations

import shutil

from docyard.cli.blob_store import blob_folder, check_store
from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.errors import StoreUnavailable, WrongStore
from docyard.model.limits import MEGABYTE
from docyard.store.blobs import FolderBlobs, find_store_id

_CHECK = "file store"
_MIN_FREE_SPACE = 1024 * MEGABYTE


def check_blobs(installation: Installation) -> Finding:
    """Check whether the store has the marker of this installation, and space for more files."""
    folder = blob_folder(installation.settings)
    with installation.db.transaction() as conn:
        store_id = find_store_id(conn)
    if store_id is None:
        return Finding(_CHECK, OK, f"{folder} becomes the file store when the first process uses it.")
    try:
        check_store(FolderBlobs(folder, store_id))
    except WrongStore as error:
        return Finding(_CHECK, FAIL, f"{error} The folder is {folder}.")
    except StoreUnavailable as error:
        words = (
            f"{error} Documents wait until it is back. The folder is {folder}. If its files were restored without"
            f" the marker, write it again with: echo {store_id} > {folder}/docyard-store"
        )
        return Finding(_CHECK, FAIL, words)
    free = shutil.disk_usage(folder).free
    words = f"The file store {folder} is available; {free // MEGABYTE} MB are free."
    if free >= _MIN_FREE_SPACE:
        return Finding(_CHECK, OK, words)
    words += (
        f" Free some space: uploads are refused when the disk is full, and {_MIN_FREE_SPACE // MEGABYTE} MB is low."
    )
    return Finding(_CHECK, FAIL if free < _MIN_FREE_SPACE // 10 else WARN, words)
