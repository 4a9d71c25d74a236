"""Candidates for merges: pairs of entities to compare, and signals that two entities are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store.graph", "candidates.sql")
# An entity of these kinds is a signal if documents of both candidates mention it; strongest kind first.
_SIGNAL_KINDS = [
    "vat_number",
    "iban",
    "email",
    "phone",
    "case_number",
    "invoice_number",
    "person",
    "organisation",
    "part",
    "place",
]
# Domains of public mail providers; sharing one is not a signal.
_PUBLIC_DOMAINS = [
    "gmail.com",
    "googlemail.com",
    "yahoo.com",
    "outlook.com",
    "hotmail.com",
    "live.com",
    "gmx.de",
    "gmx.net",
    "web.de",
    "icloud.com",
    "aol.com",
]
# Kinds that identify one entity, so that different values are evidence against a merge.
IDENTIFYING_KINDS = ["vat_number", "iban", "email", "phone"]
_MAX_NAMES_PER_KEY = 50  # blocking keys shared by more names are ignored
_MAX_CANDIDATES = 12  # per entity, from shared keys
_NEIGHBOURS = 3  # further candidates on each side of an entity in key order


class EntityVersion(NamedTuple):
    """An entity to be compared, and its row version."""

    id: UUID
    workspace_id: UUID
    kind: str
    key: str
    version: str


class BlockingKey(NamedTuple):
    """The hash of a blocking key, and whether the key is a whole word."""

    number: int
    word: bool


class Pair(NamedTuple):
    """Two entities of the same kind and workspace; `rare` means that they share a rare word."""

    one: UUID
    other: UUID
    kind: str
    workspace_id: UUID
    one_key: str
    other_key: str
    rare: bool = False


class Signal(NamedTuple):
    """Evidence for a merge of two entities: what both share, or 'silence' if nothing contradicts a merge."""

    what: str
    name: str


def list_uncompared(conn: Connection, limit: int) -> list[EntityVersion]:
    """Return entities of comparable kinds that are new or have changed since they were last compared."""
    return [EntityVersion(**row) for row in conn.execute(_SQL["list_uncompared"], {"limit": limit})]


def mark_compared(conn: Connection, names: Iterable[EntityVersion]) -> None:
    """Mark these entities as compared, unless they changed meanwhile."""
    versions = {name.id: name.version for name in names}
    conn.execute(_SQL["mark_compared"], {"ids": list(versions), "versions": list(versions.values())})


def save_blocking_keys(conn: Connection, keys: Mapping[UUID, Sequence[BlockingKey]]) -> None:
    """Save the blocking keys of these entities for later comparisons."""
    conn.execute(_SQL["save_blocking_keys"], _flatten(keys))


def find_candidates(conn: Connection, keys: Mapping[UUID, Sequence[BlockingKey]]) -> list[Pair]:
    """Return each entity paired with its best candidates, except pairs already proposed or decided."""
    conn.execute(_SQL["prefer_indexes"])
    limits = {"common": _MAX_NAMES_PER_KEY, "limit": _MAX_CANDIDATES, "near": _NEIGHBOURS}
    return [Pair(**row) for row in conn.execute(_SQL["find_candidates"], {**_flatten(keys), **limits})]


def _flatten(keys: Mapping[UUID, Sequence[BlockingKey]]) -> dict[str, list[UUID] | list[int] | list[bool]]:
    return {
        "ids": [entity for entity, each in keys.items() for _ in each],
        "blocks": [key.number for each in keys.values() for key in each],
        "words": [key.word for each in keys.values() for key in each],
    }


def find_signals(conn: Connection, pairs: Sequence[Pair]) -> dict[tuple[UUID, UUID], Signal]:
    """Return the strongest signal of each pair; pairs without one are omitted."""
    params = {
        "ones": [pair.one for pair in pairs],
        "others": [pair.other for pair in pairs],
        "telling": _SIGNAL_KINDS,
        "public_domains": _PUBLIC_DOMAINS,
        "own": IDENTIFYING_KINDS,
    }
    rows = conn.execute(_SQL["find_signals"], params)
    return {(row["one"], row["other"]): Signal(row["what"], row["name"]) for row in rows}
