"""Functions, views and triggers: .sql files beside the module that owns them, applied by checksum.

A .sql file holds either named queries (`-- name:`) or such objects, never both. Objects are created with
CREATE OR REPLACE. One that cannot be replaced (another signature, fewer columns) or is no longer wanted is
dropped by a migration; after a migration every file is applied again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable

_NAMED_QUERY = re.compile(rb"^-- name: ", re.MULTILINE)
_REQUIRES = re.compile(rb"^-- requires: (.+)$", re.MULTILINE)
_NAME = re.compile(rb"^CREATE OR REPLACE (?:FUNCTION|VIEW) (\w+)", re.MULTILINE)
_TABLE_TRIGGER = re.compile(rb"^CREATE OR REPLACE TRIGGER \w+\s+(?:BEFORE|AFTER)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """One file of schema objects; PostgreSQL checks bodies of views, so some need others first."""

    name: str
    text: bytes

    @property
    def checksum(self) -> str:
        """Tells whether the file has changed since it was applied."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def requires(self) -> list[str]:
        """The files that must be applied before this one."""
        found = _REQUIRES.search(self.text)
        return [name.strip() for name in found[1].decode().split(",")] if found else []

    @property
    def names(self) -> list[str]:
        """The functions and views that it makes."""
        return [name.decode() for name in _NAME.findall(self.text)]

    @property
    def locks_table(self) -> bool:
        """Whether applying it stops those who write to a table, until the end of the transaction."""
        return _TABLE_TRIGGER.search(self.text) is not None


@cache
def object_files() -> Sequence[ObjectFile]:
    """Every file of schema objects of this build, in an order in which they can be applied."""
    found: dict[str, ObjectFile] = {}
    for file in _files_below(files("docyard")):
        if found.setdefault(file.name, file) is not file:
            raise ValueError(f"Two object files are named {file.name}.")
    order = TopologicalSorter({name: file.requires for name, file in found.items()})
    ordered = (found[name] for name in order.static_order())
    return tuple(sorted(ordered, key=lambda file: file.locks_table))


def _files_below(folder: Traversable) -> Iterator[ObjectFile]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "migrations":
            yield from _files_below(entry)
        elif entry.name.endswith(".sql"):
            text = entry.read_bytes()
            if not _NAMED_QUERY.search(text):
                yield ObjectFile(entry.name, text)
