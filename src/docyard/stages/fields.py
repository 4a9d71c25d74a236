"""Fields: what a document says about a few things that many documents speak of, with the places."""

from __future__ import annotations

import re

from docyard.model.facts import FieldValue, Span
from docyard.model.stages import Given, Stage
from docyard.model.values import Classified, Extracted, Fielded

_LINE = re.compile(r"^(?P<name>Seller|Total|Date|From|To|Governing law): *(?P<value>\S.*?) *$", re.MULTILINE)


def run(given: Given) -> Fielded:
    """What stands after a label at the beginning of a line."""
    found = [
        FieldValue(
            match["name"].lower().replace(" ", "_"),
            match["value"],
            match["value"].removeprefix("EUR "),
            0.9,
            "rule",
            Span(page.number, *match.span("value")),
        )
        for page in given.the(Extracted).pages
        for match in _LINE.finditer(page.text)
    ]
    return Fielded(tuple(found))


STAGE = Stage("fields", 1, "cpu", (Extracted, Classified), Fielded, run)
