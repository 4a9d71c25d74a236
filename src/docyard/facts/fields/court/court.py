"""Fields of a court document: court, case number, parties, date, judges and citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.fields.court.caption import find_labelled_sides, find_sides
from docyard.facts.fields.court.dockets import Docket, find_dockets
from docyard.facts.fields.layout.document_text import DocumentText
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import WrittenDate, find_dates, select_dates
from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page

_TOP_CHARS, _END_CHARS = 6_000, 3_000
_MAX_LISTED = 500
_LABEL_CHARS = 40  # characters before a date that may contain its label
_MAX_DISTANCE = 250  # characters between a case number and its date
_COURT = re.compile(
    r"(?:(?:United\s{1,40}States|U\.\s?S\.)\s{1,40}(?:Court\s{1,40}of\s{1,40}Appeals|District\s{1,40}Court"
    r"|Bankruptcy\s{1,40}Court"
    r"|Supreme\s{1,40}Court|Tax\s{1,40}Court)"
    r"(?:[ \t]*,?\s{1,40}(?:for\s{1,40})?(?:the\s{1,40})?(?:(?:[A-Z][\w.]*\s{1,40}){1,3}(?:Circuit"
    r"|District\s{1,40}of\s{1,40}[A-Z]\w+(?:[ \t]+[A-Z]\w+)?)"
    r"|District\s{1,40}of\s{1,40}[A-Z]\w+(?:[ \t]+[A-Z]\w+)?))?"
    r"|Supreme\s{1,40}Court\s{1,40}of\s{1,40}(?:the\s{1,40})?(?:State\s{1,40}of\s{1,40})?[A-Z]\w+"
    r"(?:[ \t]+[A-Z]\w+)?"
    r"|\b(?:(?!(?:in|the|of|for|from|to|by)\s)[A-Z]\w+[ \t]+){1,2}(?:Supreme\s{1,40}Court"
    r"|Court\s{1,40}of\s{1,40}(?:Criminal\s{1,40})?Appeals?)(?:[ \t]*\n[ \t]*(?:Eastern|Western|Southern"
    r"|Northern)\s{1,40}District)?"
    r"|Court\s{1,40}of\s{1,40}(?:Criminal\s{1,40})?Appeals?\s{1,40}(?:of"
    r"|for)\s{1,40}(?:the\s{1,40})?[A-Z]\w+(?:[ \t]+[A-Z]\w+){0,2}"
    r"|(?:Superior|Circuit|District|County|Probate|High|Crown)\s{1,40}Court\s{1,40}(?:of"
    r"|for)\s{1,40}(?:the\s{1,40})?[A-Z]\w+(?:[ \t]+[A-Z]\w+){0,3}"
    r"|(?:[A-Z][\w’']+[ \t]+){1,3}Appeals\s{1,40}Board"
    r"|Bundes(?:gerichtshof|verfassungsgericht|arbeitsgericht|verwaltungsgericht|sozialgericht|finanzhof)"
    r"|(?:Oberlandes|Land|Amts|Arbeits|Verwaltungs|Sozial|Finanz)gericht[ \t]+[A-Z]\w+"
    r"|Oberster[ \t]Gerichtshof"
    r"|Cour[ \t]d.appel[ \t]d(?:e[ \t]|['’])[A-Z]\w+(?:-\w+)*|Cour[ \t]de[ \t]cassation|Conseil[ \t]d.[EÉ]tat"
    r"|Tribunal[ \t](?:judiciaire|de[ \t]commerce|administratif|de[ \t]grande[ \t]instance)[ \t]"
    r"d(?:e[ \t]|['’])[A-Z]\w+(?:-\w+)*|Employment[ \t]Tribunals?|Juzgado[ \t]de[ \t][^\n]{5,60}"
    r"|Tribunal[ \t]Supremo)",
    re.IGNORECASE,
)
_DATE_LABEL = re.compile(
    r"\b(?:filed|decided|entered|dated|issued|date(?:\s{1,40}filed)?|verkündet\s{1,40}am|vom"
    r"|pronounced)\b[\s:,*]*(?:on\s{1,40}|this\s{1,40})?$",
    re.IGNORECASE,
)
# At the beginning of a line: Filed: …, ENTERED …, Dated this …
_DATE_LABEL_ON_LINE = re.compile(
    r"(?:^|\n)[ \t*]{0,40}(?:(?:opinion\s{1,9})?(?:filed|decided|entered|dated|issued|delivered"
    r"|date(?:\s{1,9}filed)?)|verkündet\s{1,9}am|so\s{1,9}ordered)\b[\s:,*]*(?:on\s{1,40}|this\s{1,40})?(?:the\s{1,9})?$",
    re.IGNORECASE,
)
_OTHER_DATE_LABEL = re.compile(
    r"\b(?:argued|submitted|heard|hearing|received|enlist\w*|verhandlung)\b[^\n]{0,20}$", re.IGNORECASE
)
_DECISION_AFTER = re.compile(r"\s{1,9}(?:für\s{1,9}Recht\s{1,9}erkannt|beschlossen|entschieden)")
_PANEL = re.compile(
    r"\b(?:Before|BEFORE)\b:?\s{1,40}(?P<judges>[^.]{5,250}?)\s{0,40},?\s{0,40}(?:Chief\s{1,40}"
    r"|Senior\s{1,40})?(?:Circuit\s{1,40}"
    r"|District\s{1,40}|Appellate\s{1,40})?(?:Judges?|Justices?|JUDGES?|JJ)\b"
)
_JUDGE = re.compile(
    r"(?:\bHon(?:\.|orable)|\bHONORABLE|\bHON\.)\s{1,40}(?P<hon>(?:[A-Z][\w.'’-]*[ \t]+){1,3}[A-Z][\w'’-]+)"
    r"|^[ \t]*(?P<writes>[A-Z][\w.'’-]+(?:[ \t]+[A-Z][\w.'’-]+){0,3}),[ \t]+(?:(?:Chief|Circuit|District"
    r"|Presiding|Associate|Senior)[ \t]+)*(?:Judge|Justice|JUDGE|JUSTICE|P\.J|C\.J|J)\b"
    r"|\bJ(?:udge|UDGE|ustice|USTICE)[ \t]+(?P<titled>[A-Z][a-z.'’-]+(?:[ \t]+[A-Z][a-z.'’-]*){0,3})",
    re.MULTILINE,
)
_CITATION = re.compile(
    r"\b\d{1,4}\s{1,40}(?:U\.\s?S\.|S\.\s?Ct\.|F\.(?:2d|3d|4th)?|F\.\s?Supp\.(?:\s?[23]d)?"
    r"|L\.\s?Ed\.(?:\s?2d)?"
    r"|N\.[EYW]\.(?:\s?[23]d)?|S\.[EW]\.(?:\s?[23]d)?"
    r"|P\.(?:[23]d)?|A\.(?:[23]d)?|So\.(?:\s?[23]d)?|Cal\.(?:\s?App\.)?(?:\s?\d(?:th|d))?"
    r"|N\.C\.(?:\sApp\.)?|WL)\s{1,40}\d{1,7}\b|\b\d{4}\s{1,40}WL\s{1,40}\d{5,8}\b"
)


def read_court_fields(pages: Sequence[Page], conventions: Conventions, *, listing: bool) -> Iterator[FieldValue]:
    """Yield all fields found; for a list of cases, the court and every case number with its date."""
    document = DocumentText(pages)
    top = document.text[:_TOP_CHARS]
    court = _COURT.search(top)
    if court is not None:
        yield document.make_field("court", *court.span(), confidence=0.85)
    if listing:
        yield from _read_listing(document, conventions)
        return
    yield from _read_case(document, top, conventions)
    yield from _find_citations(document)


def _read_case(document: DocumentText, top: str, conventions: Conventions) -> Iterator[FieldValue]:
    dockets = find_dockets(top)
    chosen = next((each for each in dockets if each.labelled), dockets[0] if dockets else None)
    if chosen is not None:
        docket_confidence = 0.92 if chosen.labelled else 0.7
        yield document.make_field("docket", chosen.start, chosen.end, chosen.number, confidence=docket_confidence)
    dated, confidence = _find_decision_date(document.text, top, conventions)
    if dated is not None:
        yield document.make_field("date", dated.start, dated.end, dated.iso, confidence=confidence)
    for start, end in find_sides(top) or find_labelled_sides(top):
        yield document.make_field("party", start, end, confidence=0.7)
    yield from _find_judges(document, top)


def _find_decision_date(text: str, top: str, conventions: Conventions) -> tuple[WrittenDate | None, float]:
    """Return the date of filing or decision, preferably a labelled one, and a confidence."""
    dates = find_dates(top, conventions)
    last_dates = _find_last_dates(text, conventions)
    for dated in (*dates, *last_dates):
        if _DATE_LABEL_ON_LINE.search(_get_text_before(text, dated)) or _DECISION_AFTER.match(text, dated.end):
            return dated, 0.92
    candidates = [each for each in dates if not _OTHER_DATE_LABEL.search(_get_text_before(top, each))]
    for dated in candidates:
        if _DATE_LABEL.search(_get_text_before(top, dated)):
            return dated, 0.9
    if candidates and candidates[0].start < 2_000:
        return candidates[0], 0.65
    for dated in last_dates:
        if _DATE_LABEL.search(_get_text_before(text, dated)):
            return dated, 0.75
    return (candidates[0], 0.5) if candidates else (None, 0.0)


def _get_text_before(text: str, dated: WrittenDate) -> str:
    return text[max(dated.start - _LABEL_CHARS, 0) : dated.start]


def _find_last_dates(text: str, conventions: Conventions) -> list[WrittenDate]:
    """Return the dates near the end, the last one first."""
    offset = len(text[:-_END_CHARS])
    found = reversed(find_dates(text[offset:], conventions))
    return [each._replace(start=each.start + offset, end=each.end + offset) for each in found]


def _find_judges(document: DocumentText, top: str) -> Iterator[FieldValue]:
    panel = _PANEL.search(top)
    if panel is not None:
        yield document.make_field("judge", *panel.span("judges"), confidence=0.8)
        return
    judge = _JUDGE.search(top)
    if judge is not None:
        group = next(name for name in ("hon", "writes", "titled") if judge[name])
        yield document.make_field("judge", *judge.span(group), confidence=0.7)


def _find_citations(document: DocumentText) -> Iterator[FieldValue]:
    seen: set[str] = set()
    for match in _CITATION.finditer(document.text):
        plain = re.sub(r"\s+", " ", match[0])
        if plain not in seen and len(seen) < _MAX_LISTED:
            seen.add(plain)
            yield document.make_field("citation", *match.span(), plain, confidence=0.9)


def _read_listing(document: DocumentText, conventions: Conventions) -> Iterator[FieldValue]:
    """Yield every case number and the date nearest to it, each once."""
    text = document.text
    dates = find_dates(text, conventions)
    seen: set[str] = set()
    used: set[int] = set()
    for docket in find_dockets(text):
        if docket.number not in seen and len(seen) < _MAX_LISTED:
            seen.add(docket.number)
            yield document.make_field("docket", docket.start, docket.end, docket.number, confidence=0.85)
        nearest = _find_nearest_date(text, docket, dates)
        if nearest is not None and nearest.start not in used:
            used.add(nearest.start)
            yield document.make_field("date", nearest.start, nearest.end, nearest.iso, confidence=0.8)


def _find_nearest_date(text: str, docket: Docket, dates: Sequence[WrittenDate]) -> WrittenDate | None:
    """Return the first date on the same line, else the nearest one within `_MAX_DISTANCE`."""
    line_start, line_end = text.rfind("\n", 0, docket.start) + 1, text.find("\n", docket.end)
    on_line = select_dates(dates, line_start, line_end if line_end >= 0 else len(text))
    if on_line:
        return on_line[0]
    near = select_dates(dates, docket.start - _MAX_DISTANCE, docket.start + _MAX_DISTANCE)
    return min(near, key=lambda each: abs(each.start - docket.start), default=None)
