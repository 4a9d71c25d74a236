"""The files a person means when naming files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path


def files_below(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as named, and those below folders in order, without hidden ones and links."""
    for path in paths:
        if path.is_dir():
            found = (p for p in sorted(path.rglob("*")) if p.is_file() and not p.is_symlink())
            yield from (
                p for p in found if not any(part.startswith(".") for part in p.relative_to(path).parts)
            )
        else:
            yield path
