"""Which entities to compare, with which others, and what else speaks for two of them being one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from docyard.db import Connection, Queries

_SQL = Queries("docyard.store", "comparing.sql")
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
_COMMON = 50  # entities that may have something in common for it to tell anything
_MOST = 12


class Pair(NamedTuple):
    """Two entities of one kind and workspace."""

    one: UUID
    other: UUID
    kind: str
    workspace_id: UUID
    one_key: str
    other_key: str


class Signal(NamedTuple):
    """What two entities share besides their names: a kind of thing, or a document, and its name."""

    what: str
    name: str


def uncompared(conn: Connection, most: int) -> dict[UUID, str]:
    """Entities that have to be compared with the others, each with the version that will have been."""
    return {row["id"]: row["version"] for row in conn.execute(_SQL["uncompared"], {"most": most})}


def mark_compared(conn: Connection, versions: Mapping[UUID, str]) -> None:
    """These versions were compared."""
    conn.execute(_SQL["mark_compared"], {"ids": list(versions), "versions": list(versions.values())})


def candidates(conn: Connection, ids: Iterable[UUID]) -> list[Pair]:
    """Each of these with the few that have most in common with it and are not known to be one or two."""
    conn.execute(_SQL["prefer_indexes"])
    given = {"ids": list(ids), "common": _COMMON, "most": _MOST}
    return [Pair(**row) for row in conn.execute(_SQL["candidates"], given)]


def signals(conn: Connection, pairs: Sequence[Pair]) -> dict[tuple[UUID, UUID], Signal]:
    """What else speaks for each pair; those for which nothing does are left out."""
    given = {
        "ones": [pair.one for pair in pairs],
        "others": [pair.other for pair in pairs],
        "telling": _TELLING,
        "public_domains": _PUBLIC_DOMAINS,
    }
    rows = conn.execute(_SQL["signals"], given)
    return {(row["one"], row["other"]): Signal(row["what"], row["name"]) for row in rows}
