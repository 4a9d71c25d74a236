"""Which entities to compare, with which others, and what else speaks for two of them being one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store.graph", "candidates.sql")
# The kinds of entities beside both that speak for two being one, those that tell most first.
_TELLING = [
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
# Addresses there belong to anybody.
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
# What one bears alone, so that another speaks against being the same.
OWN = ["vat_number", "iban", "email", "phone"]
_COMMON = 50  # names that may stand in a block for it to tell anything
_MOST = 12
_NEAR = 3  # neighbours before and behind


class Named(NamedTuple):
    """An entity that has to be compared, and the version of it that will have been."""

    id: UUID
    workspace_id: UUID
    kind: str
    key: str
    version: str


class Block(NamedTuple):
    """A block that a name stands in, and whether it is that of a whole word."""

    number: int
    word: bool


class Pair(NamedTuple):
    """Two entities of one kind and workspace; rare when few others have a word that both have."""

    one: UUID
    other: UUID
    kind: str
    workspace_id: UUID
    one_key: str
    other_key: str
    rare: bool = False


class Signal(NamedTuple):
    """What two entities share besides their names: a kind of thing, a document, or silence; and its name."""

    what: str
    name: str


def uncompared(conn: Connection, most: int) -> list[Named]:
    """Entities that have to be compared with the others."""
    return [Named(**row) for row in conn.execute(_SQL["uncompared"], {"most": most})]


def mark_compared(conn: Connection, names: Iterable[Named]) -> None:
    """These versions were compared."""
    versions = {name.id: name.version for name in names}
    conn.execute(_SQL["mark_compared"], {"ids": list(versions), "versions": list(versions.values())})


def keep_blocks(conn: Connection, blocks: Mapping[UUID, Sequence[Block]]) -> None:
    """Let these entities be found by the blocks they stand in."""
    conn.execute(_SQL["keep_blocks"], _flat(blocks))


def candidates(conn: Connection, blocks: Mapping[UUID, Sequence[Block]]) -> list[Pair]:
    """Each of these with the few that have most in common with it and are not known to be one or two."""
    conn.execute(_SQL["prefer_indexes"])
    given = {**_flat(blocks), "common": _COMMON, "most": _MOST, "near": _NEAR}
    return [Pair(**row) for row in conn.execute(_SQL["candidates"], given)]


def _flat(blocks: Mapping[UUID, Sequence[Block]]) -> dict[str, list[UUID] | list[int] | list[bool]]:
    return {
        "ids": [entity for entity, each in blocks.items() for _ in each],
        "blocks": [block.number for each in blocks.values() for block in each],
        "words": [block.word for each in blocks.values() for block in each],
    }


def signals(conn: Connection, pairs: Sequence[Pair]) -> dict[tuple[UUID, UUID], Signal]:
    """What else speaks for each pair; those for which nothing does are left out."""
    given = {
        "ones": [pair.one for pair in pairs],
        "others": [pair.other for pair in pairs],
        "telling": _TELLING,
        "public_domains": _PUBLIC_DOMAINS,
        "own": OWN,
    }
    rows = conn.execute(_SQL["signals"], given)
    return {(row["one"], row["other"]): Signal(row["what"], row["name"]) for row in rows}
