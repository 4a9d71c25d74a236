"""People in the lines of a message's head that say from whom and to whom it went."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import Found
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.legal_forms import CERTAIN_FOLDED_FORM
from docyard.facts.notation.mail_headers import HEADER_LABEL, header_field
from docyard.facts.notation.plain_name import plain_name

_PEOPLE = ("from", "to", "cc", "bcc", "reply_to")
_HEADER = re.compile(
    rf"(?m)^[ \t>*|]{{0,8}}(?P<label>{HEADER_LABEL})[ \t]?\*{{0,2}}:\*{{0,2}}[ \t]*(?P<value>[^\n]*)$"
)
_ADDRESS = re.compile(
    r"[<(\[]?(?<![\w.+'-])[\w.+'-]{1,64}@[\w.-]{1,255}[>)\]]?(?:\(mailto:[^)\s]*\)|<mailto:[^>\s]*>)?"
)
_NAMED = re.compile(
    r"[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,4}|[^\W\d_][\w.'’-]+,\s*[^\W\d_][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){0,2}"
)
_NOBODY = re.compile(
    r"\b(?:team|support|service|info|sales|office|newsletter|admin\w*|list|no.?reply|undisclosed|recipients?|notifications?"
    rf"|customer|help|daemon|postmaster|mailer|system|group|utilisateur|equipe|équipe|user|{CERTAIN_FOLDED_FORM})\b",
    re.IGNORECASE,
)
_SURE = 0.95


def head_lines(text: str) -> Iterator[re.Match[str]]:
    """The lines of heads that name people: two lines of a head together, or one with an address."""
    lines = list(_HEADER.finditer(text))
    for number, line in enumerate(lines):
        beside = [*lines[max(number - 1, 0) : number], *lines[number + 1 : number + 2]]
        joined = any(_follow(text, *sorted((line, other), key=lambda m: m.start())) for other in beside)
        if header_field(line["label"]) in _PEOPLE and (joined or _ADDRESS.search(line["value"])):
            yield line


def _follow(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return not text[one.end() : other.start()].strip(" \t\n>*|")


def correspondents(text: str, _conventions: Conventions) -> Iterator[Found]:
    """Who wrote and who was written to, where they are named as people are."""
    for line in head_lines(text):
        at = line.start("value")
        for start, end in _names(line["value"]):
            name = line["value"][start:end]
            if _NAMED.fullmatch(name) and not _NOBODY.search(name) and name[0].isupper():
                yield Found("person", at + start, at + end, _in_order(name), _SURE)


def _names(value: str) -> Iterator[tuple[int, int]]:
    """What stands between the addresses, without quotes."""
    before = 0
    for address in [*_ADDRESS.finditer(value), None]:
        end = address.start() if address else len(value)
        for part in re.finditer(r"[^;]+", value[before:end]):
            yield from _stripped(value, before + part.start(), before + part.end())
        before = address.end() if address else end


def _stripped(value: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    edges = " \t\"'“”„,;:<>()[]*|"
    while start < end and value[start] in edges:
        start += 1
    while end > start and value[end - 1] in edges:
        end -= 1
    if start < end:
        yield start, end


def _in_order(name: str) -> str:
    last, comma, first = name.partition(",")
    return plain_name(f"{first.strip()} {last.strip()}" if comma else name)
