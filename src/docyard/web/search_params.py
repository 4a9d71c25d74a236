"""A search as an address asks for it: words, the way to search, and what to narrow it down to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from docyard.errors import BadInput
from docyard.search import KINDS, MODES, Filters
from docyard.web.inputs import day

NARROWING = ("mode", "kind", "tag", "folder", "language", "since", "until", "type", "field", "sign", "value")
SIGNS = {":": "is", ">": "over or after", ">=": "from", "<": "under or before", "<=": "up to"}
_FIELD = re.compile(r"^[a-z][a-z_]{1,39}$", re.ASCII)
_MOST_ENTITIES = 6


@dataclass(frozen=True, slots=True)
class Asked:
    """What to search for; `given` as it came, facts as they are typed, and all together as `typed`."""

    words: str
    mode: str | None
    filters: Filters
    given: dict[str, str]
    entities: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def typed(self) -> str:
        """Words and facts, as a person can type both."""
        return " ".join((*self.facts, self.words)).strip()

    @property
    def is_something(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.typed) or self.filters.leads

    def with_tag(self, tag: str) -> str:
        """The same search, narrowed by one more tag."""
        return self.link(tag=",".join((*self.filters.tags, tag)))

    def without_tag(self, tag: str) -> str:
        """The same search with one tag less."""
        return self.link(tag=",".join(each for each in self.filters.tags if each != tag))

    def link(self, **other: object) -> str:
        """The same search with something else; None takes it away."""
        entities = other.pop("entities", self.entities)
        asked = {"q": self.words, **self.given, "entity": entities, **other}
        return f"/search?{urlencode({k: v for k, v in asked.items() if v}, doseq=True)}"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The facts that an address asks for beside the words."""

    entities: tuple[str, ...]
    given: dict[str, str]

    def facts(self) -> tuple[str, ...]:
        """Each as a person can type it."""
        named = [
            ("type", ":", self.given.get("type", "")),
            *(("entity", ":", each) for each in self.entities),
        ]
        named.append((self.given.get("field", ""), self.given.get("sign", ":"), self.given.get("value", "")))
        return tuple(f'{name}{sign}"{value}"' for name, sign, value in named if name and value)


def narrowing(
    of_type: Annotated[str, Query(alias="type")] = "",
    entity: Annotated[list[str] | None, Query()] = None,
    name: Annotated[str, Query(alias="field")] = "",
    sign: str = "",
    value: str = "",
) -> Narrowing:
    """Facts from an address."""
    if name and not _FIELD.match(name):
        raise BadInput("'field' must be the name of a field, such as total.")
    if sign and sign not in SIGNS:
        raise BadInput(f"'sign' must be one of {', '.join(SIGNS)}.")
    bare = [each.replace('"', " ").strip()[:200] for each in (of_type, value, *(entity or []))]
    typed = zip(("type", "field", "sign", "value"), (bare[0], name, sign, bare[1]), strict=True)
    return Narrowing(tuple(filter(None, bare[2:]))[:_MOST_ENTITIES], {k: text for k, text in typed if text})


@dataclass(frozen=True, slots=True)
class Bounds:
    """Filters of files and days, and as they came."""

    filters: Filters
    given: dict[str, str]


def bounds(
    kind: str = "", tag: str = "", folder: str = "", language: str = "", since: str = "", until: str = ""
) -> Bounds:
    """Filters from an address."""
    if kind and kind not in KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(KINDS)}.")
    wanted = Filters(
        kinds=(kind,) if kind else (),
        tags=tuple(filter(None, (each.strip() for each in tag.replace("\x00", "").split(",")))),
        languages=(language.lower(),) if language else (),
        since=day(since, "since"),
        until=day(until, "until"),
        folder=folder.replace("\x00", "").strip(),
    )
    typed = {"kind": kind, "tag": tag, "folder": folder, "language": language, "since": since, "until": until}
    return Bounds(wanted, {name: text for name, text in typed.items() if text})


def asked(
    narrowed: Annotated[Narrowing, Depends(narrowing)],
    bounded: Annotated[Bounds, Depends(bounds)],
    q: str = "",
    mode: str = "",
) -> Asked:
    """A search from an address."""
    if mode and mode not in MODES:
        raise BadInput(f"'mode' must be one of {', '.join(MODES)}.")
    given = ({"mode": mode} if mode else {}) | bounded.given | narrowed.given
    return Asked(q.strip(), mode or None, bounded.filters, given, narrowed.entities, narrowed.facts())


Search = Annotated[Asked, Depends(asked)]
