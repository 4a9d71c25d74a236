"""The files of a folder to evaluate on, with their kinds and truths where a manifest names them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.cli.files import files_below

_READABLE_TRUTH = {".txt", ".md"}
_TRUTH_ONLY = ("truth", "readme", "licence", "label scheme", "retrieval")


@dataclass(frozen=True, slots=True)
class Sample:
    """A file, what kind of file it is, and the files that say what should be read from it."""

    path: Path
    kind: str
    folder: str
    truths: tuple[Path, ...] = ()

    @property
    def text_truth(self) -> Path | None:
        """The text it holds."""
        return next((truth for truth in self.truths if truth.suffix in _READABLE_TRUTH), None)

    @property
    def boxes_truth(self) -> Path | None:
        """The text it holds, line by line with its place, as receipts have it."""
        return next((truth for truth in self.truths if truth.parent.name == "box"), None)


def samples(folder: Path) -> list[Sample]:
    """What there is to read; files that only tell what others hold are left out."""
    manifest = folder / "manifest.csv"
    found = list(_listed(folder, manifest)) if manifest.is_file() else []
    if found:
        return found
    return [Sample(path, path.suffix.lower(), _top(folder, path)) for path in files_below([folder])]


def _listed(folder: Path, manifest: Path) -> Iterator[Sample]:
    with manifest.open(newline="") as file:
        rows = list(csv.DictReader(file))
    truths = {name for row in rows for name in row["truth"].split(";")}
    for row in rows:
        path = folder / row["path"]
        told = row["path"] in truths or any(word in row["kind"] for word in _TRUTH_ONLY)
        if not told and path.is_file():
            named = tuple(folder / name for name in row["truth"].split(";") if (folder / name).is_file())
            yield Sample(path, row["kind"], _top(folder, path), named)


def _top(folder: Path, path: Path) -> str:
    parts = path.relative_to(folder).parts[:-1]
    return "/".join(parts[:2]) or "."
