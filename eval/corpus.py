"""Files of an evaluation folder, with kinds and ground truths from its manifest."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.cli.files import find_files

_READABLE_TRUTH = {".txt", ".md"}
_TRUTH_ONLY = ("truth", "readme", "licence", "label scheme", "retrieval")


@dataclass(frozen=True, slots=True)
class Sample:
    """A file to read, its kind, and the files with its ground truth."""

    path: Path
    kind: str
    folder: str
    truths: tuple[Path, ...] = ()

    @property
    def text_truth(self) -> Path | None:
        """The file with its true text, or None."""
        return next((truth for truth in self.truths if truth.suffix in _READABLE_TRUTH), None)

    @property
    def boxes_truth(self) -> Path | None:
        """The file with its true lines and their bounding boxes, or None; only receipts have one."""
        return next((truth for truth in self.truths if truth.parent.name == "box"), None)


def samples(folder: Path) -> list[Sample]:
    """Return the samples of the manifest or, without a manifest, one sample for each file of the folder."""
    manifest = folder / "manifest.csv"
    found = list(_read_manifest(folder, manifest)) if manifest.is_file() else []
    if found:
        return found
    return [Sample(path, path.suffix.lower(), _group(folder, path)) for path in find_files([folder])]


def _read_manifest(folder: Path, manifest: Path) -> Iterator[Sample]:
    with manifest.open(newline="") as file:
        rows = list(csv.DictReader(file))
    truths = {name for row in rows for name in row["truth"].split(";")}
    for row in rows:
        path = folder / row["path"]
        is_truth = row["path"] in truths or any(word in row["kind"] for word in _TRUTH_ONLY)
        if not is_truth and path.is_file():
            own = tuple(folder / name for name in row["truth"].split(";") if (folder / name).is_file())
            yield Sample(path, row["kind"], _group(folder, path), own)


def _group(folder: Path, path: Path) -> str:
    """Return the first two levels of the file's folder."""
    parts = path.relative_to(folder).parts[:-1]
    return "/".join(parts[:2]) or "."
