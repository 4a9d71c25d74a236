"""Searching by facts: `entity:Acme`, `total>1000`, `date:2026-03`, `tag:lease`, `folder:Claims`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from psycopg.types.json import Json

from docyard.db import Connection, Queries
from docyard.facts.notation.typed_values import parse_number, parse_period
from docyard.facts.resolution.keys import bare, entity_key
from docyard.facts.vocabulary import THINGS
from docyard.ids import parse_id

_SQL = Queries("docyard.search", "facts.sql")
ALWAYS = ("entity", "type", "date", "tag", "folder")  # asked for whether or not any document has such a field
_MOST = 8
_ASKED = re.compile(
    r'(?<!\S)(?P<name>[a-z][a-z_]{1,39})(?P<sign><=|>=|[:=<>])(?P<value>"[^"]+"|[^\s"<>=:][^\s"]*)(?!\S)'
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One fact that was asked for, as it was typed."""

    name: str
    sign: str
    value: str
    typed: str


Fact = dict[str, object]


def asked_facts(typed: str) -> list[Asked]:
    """What looks like a question about facts; whether there are such fields the database knows."""
    found = (Asked(m["name"], m["sign"], m["value"].strip('"'), m[0]) for m in _ASKED.finditer(typed))
    return list(found)[:_MOST]


def without(typed: str, asked: Sequence[Asked]) -> str:
    """The words of a search that are left."""
    for each in asked:
        typed = typed.replace(each.typed, " ", 1)
    return typed.strip()


def plain_words(typed: str) -> str:
    """The words of a search, without anything that looks like a question about facts."""
    return without(typed, asked_facts(typed))


def narrow(conn: Connection, typed: str) -> tuple[str, list[Fact]]:
    """The words that are left of a search, and the facts that its documents must have."""
    asked = asked_facts(typed)
    unsure = [each.name for each in asked if each.name not in ALWAYS]
    known = (
        {row["name"] for row in conn.execute(_SQL["known_fields"], {"names": unsure})} if unsure else set()
    )
    understood = [(each, fact) for each in asked for fact in _facts(conn, each, known)]
    # What leads to the fewest documents comes first.
    facts = sorted(
        (fact for _, fact in understood),
        key=lambda fact: (fact.get("name") == "type" or "folder" in fact, "text" in fact),
    )
    return without(typed, [each for each, _ in understood]), facts


def field_names(conn: Connection) -> list[str]:
    """The fields that documents of the workspace have, in order."""
    return [row["name"] for row in conn.execute(_SQL["field_names"])]


@contextmanager
def wanted(conn: Connection, facts: Sequence[Fact]) -> Iterator[None]:
    """Let searches inside find only documents with these facts; none lets them find all."""
    if facts:
        conn.execute(_SQL["want_facts"], {"facts": Json(list(facts))})
    yield
    if facts:  # after an error the transaction's end does the same
        conn.execute(_SQL["want_facts"], {"facts": ""})


def _facts(conn: Connection, asked: Asked, known: set[str]) -> Iterator[Fact]:
    if asked.name == "entity":
        yield {"entities": [str(each) for each in entities_named(conn, asked.value)]}
    elif asked.name == "tag":
        yield tag_fact(asked.value)
    elif asked.name == "folder":
        yield folder_fact(conn, asked.value)
    elif asked.name == "type":
        yield {"name": "type", "text": asked.value.lower()}
    elif asked.name in known or asked.name == "date":
        bounds = _bounds(asked)
        if bounds:
            yield {"name": asked.name, **bounds}


def tag_fact(tag: str) -> Fact:
    """That a document has this tag, whoever gave it, however it is written."""
    return {"tag": tag.replace("\x00", "")}


def folder_fact(conn: Connection, name: str) -> Fact:
    """That a document is in the folder of that name or id; what is no folder holds nothing."""
    given = {"name": " ".join(name.replace("\x00", "").split())}
    row = conn.execute(_SQL["folder_named"], given).fetchone()
    return {"folder": str(row["id"] if row else UUID(int=0))}


def entity_words(text: str) -> list[str]:
    """The words of a typed name, as the keys of entities have them."""
    return bare(text).split()


def entities_named(conn: Connection, name: str) -> list[UUID]:
    """The entities of that id or name, and all that are shown as one with them."""
    entity_id = parse_id(name)
    keys = {(kind, entity_key(kind, name)) for kind in THINGS}
    given = {
        "ids": [entity_id] if entity_id else [],
        "kinds": [kind for kind, key in keys if key],
        "keys": [key for _, key in keys if key],
        "words": entity_words(name),
    }
    return [row["id"] for row in conn.execute(_SQL["entities_named"], given)]


def _bounds(asked: Asked) -> Fact:
    low, dots, high = asked.value.partition("..")
    if dots and asked.sign in (":", "="):
        return {**_of_sign(asked.name, ">=", low), **_of_sign(asked.name, "<=", high)}
    return _of_sign(asked.name, asked.sign, asked.value)


def _of_sign(name: str, sign: str, value: str) -> Fact:
    """Bounds of numbers or of days; only what is neither is compared as text."""
    if not value:
        return {}
    # Four digits alone are a year only where a day is meant.
    if days := parse_period(value) if "-" in value[1:] or name.endswith("date") else None:
        return _of_days(sign, *days)
    number = parse_number(value)
    if number is not None:
        names = {">": ("above",), ">=": ("least",), "<": ("below",), "<=": ("most",)}
        return dict.fromkeys(names.get(sign, ("least", "most")), str(number))
    return {"text": value.casefold()} if sign in (":", "=") else {}


def _of_days(sign: str, first: date, last: date) -> Fact:
    day = date.fromordinal
    match sign:
        case ">":
            return {"first": str(day(last.toordinal() + 1))}
        case ">=":
            return {"first": str(first)}
        case "<":
            return {"last": str(day(first.toordinal() - 1))}
        case "<=":
            return {"last": str(last)}
    return {"first": str(first), "last": str(last)}
