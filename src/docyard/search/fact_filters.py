"""Fact filters in a search: `entity:Acme`, `total>1000`, `date:2026-03`, `tag:lease`, `folder:Claims`."""

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
from docyard.facts.resolution.keys import fold_name, make_entity_key
from docyard.facts.vocabulary import ENTITY_KINDS
from docyard.ids import parse_id

_SQL = Queries("docyard.search", "facts.sql")
# Names that are filters even if no document has such a field.
BUILT_IN_FILTERS = ("entity", "type", "date", "tag", "folder")
_MAX_FILTERS = 8
_FILTER = re.compile(
    r'(?<!\S)(?P<name>[a-z][a-z_]{1,39})(?P<sign><=|>=|[:=<>])(?P<value>"[^"]+"|[^\s"<>=:][^\s"]*)(?!\S)'
)


@dataclass(frozen=True, slots=True)
class FactFilter:
    """A fact filter as typed, such as `total>1000`."""

    name: str
    sign: str
    value: str
    typed: str


Fact = dict[str, object]


def parse_fact_filters(typed: str) -> list[FactFilter]:
    """Parse the fact filters of a query, even if no document has such a field."""
    found = (FactFilter(m["name"], m["sign"], m["value"].strip('"'), m[0]) for m in _FILTER.finditer(typed))
    return list(found)[:_MAX_FILTERS]


def remove_filters(typed: str, filters: Sequence[FactFilter]) -> str:
    """Return the query without these fact filters."""
    for each in filters:
        typed = typed.replace(each.typed, " ", 1)
    return typed.strip()


def strip_fact_filters(typed: str) -> str:
    """Return the query without the fact filters that `parse_fact_filters` finds in it."""
    return remove_filters(typed, parse_fact_filters(typed))


def split_query(conn: Connection, typed: str) -> tuple[str, list[Fact]]:
    """Split a query into its remaining words and the facts that documents must have."""
    parsed = parse_fact_filters(typed)
    names = [each.name for each in parsed if each.name not in BUILT_IN_FILTERS]
    known = {row["name"] for row in conn.execute(_SQL["known_fields"], {"names": names})} if names else set()
    resolved = [(each, fact) for each in parsed for fact in _resolve(conn, each, known)]
    # Facts that are usually more selective come first, because only the first fact is looked up in an index.
    facts = sorted(
        (fact for _, fact in resolved),
        key=lambda fact: (fact.get("name") == "type" or "folder" in fact, "text" in fact),
    )
    return remove_filters(typed, [each for each, _ in resolved]), facts


def list_field_names(conn: Connection) -> list[str]:
    """Return the names of all fields that documents of the workspace have, sorted."""
    return [row["name"] for row in conn.execute(_SQL["list_field_names"])]


@contextmanager
def restrict_to_facts(conn: Connection, facts: Sequence[Fact]) -> Iterator[None]:
    """Restrict searches within the context to documents that have all these facts."""
    if facts:
        conn.execute(_SQL["want_facts"], {"facts": Json(list(facts))})
    yield
    if facts:  # after an error, the end of the transaction removes the restriction
        conn.execute(_SQL["want_facts"], {"facts": ""})


def _resolve(conn: Connection, wanted: FactFilter, known: set[str]) -> Iterator[Fact]:
    if wanted.name == "entity":
        yield {"entities": [str(each) for each in find_entities_by_name(conn, wanted.value)]}
    elif wanted.name == "tag":
        yield tag_fact(wanted.value)
    elif wanted.name == "folder":
        yield folder_fact(conn, wanted.value)
    elif wanted.name == "type":
        yield {"name": "type", "text": wanted.value.lower()}
    elif wanted.name in known or wanted.name == "date":
        bounds = _parse_bounds(wanted)
        if bounds:
            yield {"name": wanted.name, **bounds}


def tag_fact(tag: str) -> Fact:
    """Return the fact that a document has this tag, regardless of case and of who added it."""
    return {"tag": tag.replace("\x00", "")}


def folder_fact(conn: Connection, name: str) -> Fact:
    """Return the fact that a document is in this folder (name or id); no document is in an unknown folder."""
    params = {"name": " ".join(name.replace("\x00", "").split())}
    row = conn.execute(_SQL["folder_named"], params).fetchone()
    return {"folder": str(row["id"] if row else UUID(int=0))}


def entity_words(text: str) -> list[str]:
    """Return the words of a name, normalised like those in entity keys."""
    return fold_name(text).split()


def find_entities_by_name(conn: Connection, name: str) -> list[UUID]:
    """Return entities with this id or name, or else these word prefixes, and all those merged with them."""
    entity_id = parse_id(name)
    keys = {(kind, make_entity_key(kind, name)) for kind in ENTITY_KINDS}
    params = {
        "ids": [entity_id] if entity_id else [],
        "kinds": [kind for kind, key in keys if key],
        "keys": [key for _, key in keys if key],
        "words": entity_words(name),
    }
    return [row["id"] for row in conn.execute(_SQL["find_entities_by_name"], params)]


def _parse_bounds(wanted: FactFilter) -> Fact:
    low, dots, high = wanted.value.partition("..")
    if dots and wanted.sign in (":", "="):
        return {**_compare(wanted.name, ">=", low), **_compare(wanted.name, "<=", high)}
    return _compare(wanted.name, wanted.sign, wanted.value)


def _compare(name: str, sign: str, value: str) -> Fact:
    """Return a number or date range for the value, or a text comparison if it is neither."""
    if not value:
        return {}
    # Four digits alone are a year only in date fields.
    if period := parse_period(value) if "-" in value[1:] or name.endswith("date") else None:
        return _date_range(sign, *period)
    number = parse_number(value)
    if number is not None:
        bounds = {">": ("above",), ">=": ("least",), "<": ("below",), "<=": ("most",)}
        return dict.fromkeys(bounds.get(sign, ("least", "most")), str(number))
    return {"text": value.casefold()} if sign in (":", "=") else {}


def _date_range(sign: str, first: date, last: date) -> Fact:
    match sign:
        case ">":
            return {"first": str(date.fromordinal(last.toordinal() + 1))}
        case ">=":
            return {"first": str(first)}
        case "<":
            return {"last": str(date.fromordinal(first.toordinal() - 1))}
        case "<=":
            return {"last": str(last)}
    return {"first": str(first), "last": str(last)}
