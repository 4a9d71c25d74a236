"""Object files: .sql files that create functions, views and triggers, applied when their checksum changes.

They are next to the modules that own the objects. A .sql file contains either named queries (`-- name:`) or
such objects, never both. Objects are created with CREATE OR REPLACE. A migration drops an object that cannot
be replaced (because its signature changes or it loses columns) or is obsolete. After a migration, every file
is applied again.
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
    """A file of functions, views or triggers."""

    name: str
    text: bytes

    @property
    def checksum(self) -> str:
        """The SHA-256 of the text, to detect that the file has changed."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def requires(self) -> list[str]:
        """The names of the files that must be applied before this one, because its objects depend on them."""
        match = _REQUIRES.search(self.text)
        return [name.strip() for name in match[1].decode().split(",")] if match else []

    @property
    def names(self) -> list[str]:
        """The names of the functions and views that the file creates."""
        return [name.decode() for name in _NAME.findall(self.text)]

    @property
    def locks_table(self) -> bool:
        """Whether applying the file blocks writes to a table until the end of the transaction."""
        return _TABLE_TRIGGER.search(self.text) is not None


@cache
def load_object_files() -> Sequence[ObjectFile]:
    """Return all object files of this build, ordered by `requires`, with those that lock tables last."""
    by_name: dict[str, ObjectFile] = {}
    for file in _find_files(files("docyard")):
        if by_name.setdefault(file.name, file) is not file:
            raise ValueError(f"Two object files are named {file.name}.")
    order = TopologicalSorter({name: file.requires for name, file in by_name.items()})
    ordered = (by_name[name] for name in order.static_order())
    return tuple(sorted(ordered, key=lambda file: file.locks_table))


def _find_files(folder: Traversable) -> Iterator[ObjectFile]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "migrations":
            yield from _find_files(entry)
        elif entry.name.endswith(".sql"):
            text = entry.read_bytes()
            if not _NAMED_QUERY.search(text):
                yield ObjectFile(entry.name, text)
