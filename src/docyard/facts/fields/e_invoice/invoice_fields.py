"""The fields of an electronic invoice, each with its place on the pages where they show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from docyard.errors import Reject
from docyard.facts.fields.e_invoice import xml_invoice
from docyard.facts.fields.layout.document_text import Paper
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.facts.vocabulary import AMOUNTS
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_DAYS = ("date", "due_date")
_SURE = 0.99


class Electronic(NamedTuple):
    """What the XML of a file says, if it is to be believed, and what is wrong with it, in words."""

    values: dict[str, str]
    notes: tuple[str, ...] = ()


def electronic(path: Path, media_type: str) -> Electronic:
    """The invoice that a file is or carries; nothing where it is none."""
    notes: list[str] = []
    for name, data in _candidates(path, media_type):
        try:
            invoice = xml_invoice.read(data)
        except Reject as error:
            notes += [f"The electronic invoice {name} was not used: {error}"] if _is_invoice(name) else []
            continue
        if invoice is None:
            continue
        if not invoice.problems:
            return Electronic(invoice.told.values, tuple(notes))
        notes.append(f"The electronic invoice {name} was not used. {'; '.join(invoice.problems)}.")
    return Electronic({}, tuple(notes))


def _candidates(path: Path, media_type: str) -> Iterator[tuple[str, bytes]]:
    if media_type == "application/pdf":
        yield from xml_invoice.attached(path)
    elif media_type.endswith("xml") and path.stat().st_size < xml_invoice.MOST_BYTES:
        yield path.name, path.read_bytes()


def _is_invoice(name: str) -> bool:
    """Whether an attachment is called as the standards ask; other XML is nobody's business here."""
    return name.lower() in ("factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml", "cida.xml")


def preferred(
    values: dict[str, str], shown: Sequence[FieldValue], pages: Sequence[Page]
) -> tuple[FieldValue, ...]:
    """What the XML says, with the places that show it, and what the pages say besides."""
    paper = Paper(pages)
    told = [_placed(name, value, shown, paper) for name, value in values.items()]
    besides = [field for field in shown if field.name not in values]
    return (*told, *besides)


def unseen_total(values: dict[str, str], shown: Sequence[FieldValue]) -> tuple[str, ...]:
    """A note where the pages show people another total than the XML tells machines."""
    seen = next((field for field in shown if field.name == "total"), None)
    if seen is None or "total" not in values or values["total"] in (seen.normal, seen.normal.lstrip("-")):
        return ()
    payable = values.get("payable") == seen.normal
    if payable:
        return ()
    said = f"the total is {values['total']}, the page seems to say {seen.normal}"
    return (f"The electronic invoice says that {said}.",)


def _placed(name: str, value: str, shown: Sequence[FieldValue], paper: Paper) -> FieldValue:
    same = next((f for f in shown if f.name == name and f.normal == value and f.span is not None), None)
    if same is not None:
        return FieldValue(name, same.value, value, _SURE, "xml", same.span)
    place = _find(name, value, paper.text)
    if place is None:
        return FieldValue(name, value, value, _SURE, "xml")
    return paper.field(name, *place, value, confidence=_SURE, source="xml")


def _find(name: str, value: str, text: str) -> tuple[int, int] | None:
    if name in AMOUNTS:
        found = [each for each in find_amounts(text) if each.exact and each.normal == value]
        return (found[-1].start, found[-1].end) if found else None
    if name in _DAYS:
        days = [each for each in find_dates(text) if each.iso == value]
        return (days[0].start, days[0].end) if days else None
    at = text.find(value)
    return (at, at + len(value)) if at >= 0 and "\n" not in value else None
