"""The files a person means when naming files and folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path


def files_below(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as named, and those below folders in order, without hidden ones and links.

    A folder that may not be looked into is given itself: reading it fails and says why.
    """
    for path in paths:
        if path.is_dir():
            yield from sorted(_below(path))
        else:
            yield path


def _below(folder: Path) -> Iterator[Path]:
    refused: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=refused.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = (Path(place, name) for name in names if not name.startswith("."))
        yield from (path for path in shown if _is_file(path))
    yield from (Path(error.filename) for error in refused if error.filename)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return True  # it is there and cannot be looked at, which reading it will say
