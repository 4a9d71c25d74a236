"""Entities: what the pages name, each with its place, its normal form and how sure it is."""

from __future__ import annotations

import re

from docyard.model.facts import Mention, Span
from docyard.model.stages import Given, Stage
from docyard.model.values import Classified, Extracted, Mentioned

_RULES = {
    "email": re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    "date": re.compile(r"\b\d{4}-\d\d-\d\d\b"),
    "organisation": re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)*,? (?:Inc\.?|LLC|GmbH|Ltd\.?)"),
    "citation": re.compile(r"\b\d{1,3} U\.S\. \d{1,4}\b"),
}


def run(given: Given) -> Mentioned:
    """Find what is written in an unmistakable way."""
    found = [
        Mention(kind, Span(page.number, *match.span()), match[0], " ".join(match[0].split()), 0.9, "rule")
        for page in given.the(Extracted).pages
        for kind, pattern in _RULES.items()
        for match in pattern.finditer(page.text)
    ]
    return Mentioned(tuple(found))


STAGE = Stage("entities", 1, "cpu", (Extracted, Classified), Mentioned, run)
