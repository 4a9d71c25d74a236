"""Search parameters of a URL: words, mode and filters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query

from docyard.errors import BadInput
from docyard.search import KINDS, MODES, Filters
from docyard.web.inputs import parse_date

FILTER_PARAMS = ("mode", "kind", "tag", "folder", "language", "since", "until", "type", "field", "sign", "value")
COMPARISON_LABELS = {":": "is", ">": "more than / after", ">=": "from", "<": "less than / before", "<=": "up to"}
_FIELD = re.compile(r"^[a-z][a-z_]{1,39}$", re.ASCII)
_MAX_ENTITIES = 6


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search request.

    `given` has the URL parameters except `q` and `entity`; `facts` has the fact filters in query syntax.
    """

    words: str
    mode: str | None
    filters: Filters
    given: dict[str, str]
    entities: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def typed(self) -> str:
        """The fact filters and the words as one query."""
        return " ".join((*self.facts, self.words)).strip()

    @property
    def is_something(self) -> bool:
        """Whether there is something to search for: words, fact filters, tags or a folder."""
        return bool(self.typed) or self.filters.can_list

    def with_tag(self, tag: str) -> str:
        """Return the URL of this search with one more tag."""
        return self.link(tag=",".join((*self.filters.tags, tag)))

    def without_tag(self, tag: str) -> str:
        """Return the URL of this search without a tag."""
        return self.link(tag=",".join(each for each in self.filters.tags if each != tag))

    def link(self, **other: object) -> str:
        """Return the URL of this search with some parameters changed; the value None removes a parameter."""
        entities = other.pop("entities", self.entities)
        params = {"q": self.words, **self.given, "entity": entities, **other}
        return f"/search?{urlencode({k: v for k, v in params.items() if v}, doseq=True)}"


@dataclass(frozen=True, slots=True)
class FactFilters:
    """The fact filters of a URL: type, entities and one field."""

    entities: tuple[str, ...]
    given: dict[str, str]

    def facts(self) -> tuple[str, ...]:
        """Return the filters in query syntax, such as total>"1000"."""
        filters = [("type", ":", self.given.get("type", "")), *(("entity", ":", each) for each in self.entities)]
        field = (self.given.get("field", ""), self.given.get("sign", ":"), self.given.get("value", ""))
        filters.append(field)
        return tuple(f'{name}{sign}"{value}"' for name, sign, value in filters if name and value)


def parse_fact_filters(
    of_type: Annotated[str, Query(alias="type")] = "",
    entity: Annotated[list[str] | None, Query()] = None,
    name: Annotated[str, Query(alias="field")] = "",
    sign: str = "",
    value: str = "",
) -> FactFilters:
    """Parse the fact filters of a URL."""
    if name and not _FIELD.match(name):
        raise BadInput("'field' must be the name of a field, such as total.")
    if sign and sign not in COMPARISON_LABELS:
        raise BadInput(f"'sign' must be one of {', '.join(COMPARISON_LABELS)}.")
    texts = [each.replace('"', " ").strip()[:200] for each in (of_type, value, *(entity or []))]
    given = zip(("type", "field", "sign", "value"), (texts[0], name, sign, texts[1]), strict=True)
    return FactFilters(tuple(filter(None, texts[2:]))[:_MAX_ENTITIES], {k: text for k, text in given if text})


@dataclass(frozen=True, slots=True)
class FileFilters:
    """Filters by file and date; `given` has the URL parameters as sent."""

    filters: Filters
    given: dict[str, str]


def parse_file_filters(
    kind: str = "", tag: str = "", folder: str = "", language: str = "", since: str = "", until: str = ""
) -> FileFilters:
    """Parse the file and date filters of a URL."""
    if kind and kind not in KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(KINDS)}.")
    filters = Filters(
        kinds=(kind,) if kind else (),
        tags=tuple(filter(None, (each.strip() for each in tag.replace("\x00", "").split(",")))),
        languages=(language.lower(),) if language else (),
        since=parse_date(since, "since"),
        until=parse_date(until, "until"),
        folder=folder.replace("\x00", "").strip(),
    )
    given = {"kind": kind, "tag": tag, "folder": folder, "language": language, "since": since, "until": until}
    return FileFilters(filters, {name: text for name, text in given.items() if text})


def parse_search(
    narrowed: Annotated[FactFilters, Depends(parse_fact_filters)],
    bounded: Annotated[FileFilters, Depends(parse_file_filters)],
    q: str = "",
    mode: str = "",
) -> SearchRequest:
    """Parse the search parameters of a URL."""
    if mode and mode not in MODES:
        raise BadInput(f"'mode' must be one of {', '.join(MODES)}.")
    given = ({"mode": mode} if mode else {}) | bounded.given | narrowed.given
    return SearchRequest(q.strip(), mode or None, bounded.filters, given, narrowed.entities, narrowed.facts())


SearchParams = Annotated[SearchRequest, Depends(parse_search)]
