"""People in the header lines for the sender and the recipients of a message."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.legal_forms import CERTAIN_FOLDED_FORM
from docyard.facts.notation.mail_headers import HEADER_LABEL, header_field
from docyard.facts.notation.plain_name import normalise_name

_PEOPLE_FIELDS = ("from", "to", "cc", "bcc", "reply_to")
_HEADER = re.compile(rf"(?m)^[ \t>*|]{{0,8}}(?P<label>{HEADER_LABEL})[ \t]?\*{{0,2}}:\*{{0,2}}[ \t]*(?P<value>[^\n]*)$")
_ADDRESS = re.compile(
    r"[<(\[]?(?<![\w.+'-])[\w.+'-]{1,64}@[\w.-]{1,255}[>)\]]?(?:\(mailto:[^)\s]*\)|<mailto:[^>\s]*>)?"
)
_PERSON_NAME = re.compile(
    r"[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,4}|[^\W\d_][\w.'’-]+,\s*[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,2}"
)
_NOT_A_PERSON = re.compile(
    r"\b(?:team|support|service|info|sales|office|newsletter|admin\w*|list|no.?reply|undisclosed|recipients?|notifications?"
    rf"|customer|help|daemon|postmaster|mailer|system|group|utilisateur|equipe|équipe|user|{CERTAIN_FOLDED_FORM})\b",
    re.IGNORECASE,
)
_CONFIDENCE = 0.95


def find_people_headers(text: str) -> Iterator[re.Match[str]]:
    """Yield header lines that name people, if they are next to another header or have an e-mail address."""
    lines = list(_HEADER.finditer(text))
    for index, line in enumerate(lines):
        neighbours = [*lines[max(index - 1, 0) : index], *lines[index + 1 : index + 2]]
        adjacent = any(_are_adjacent(text, *sorted((line, other), key=lambda m: m.start())) for other in neighbours)
        if header_field(line["label"]) in _PEOPLE_FIELDS and (adjacent or _ADDRESS.search(line["value"])):
            yield line


def _are_adjacent(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    return not text[first.end() : second.start()].strip(" \t\n>*|")


def find_correspondents(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield senders and recipients whose names look like those of people."""
    for line in find_people_headers(text):
        offset = line.start("value")
        for start, end in _find_names(line["value"]):
            name = line["value"][start:end]
            if _PERSON_NAME.fullmatch(name) and not _NOT_A_PERSON.search(name) and name[0].isupper():
                yield NamedSpan("person", offset + start, offset + end, _put_first_name_first(name), _CONFIDENCE)


def _find_names(value: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the names between the addresses, without punctuation around them."""
    previous = 0
    for address in [*_ADDRESS.finditer(value), None]:
        end = address.start() if address else len(value)
        for part in re.finditer(r"[^;]+", value[previous:end]):
            yield from _strip(value, previous + part.start(), previous + part.end())
        previous = address.end() if address else end


def _strip(value: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    edges = " \t\"'“”„,;:<>()[]*|"
    while start < end and value[start] in edges:
        start += 1
    while end > start and value[end - 1] in edges:
        end -= 1
    if start < end:
        yield start, end


def _put_first_name_first(name: str) -> str:
    last, comma, first = name.partition(",")
    return normalise_name(f"{first.strip()} {last.strip()}" if comma else name)
