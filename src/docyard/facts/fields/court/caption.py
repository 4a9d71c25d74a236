"""Captions of court documents: the parties on both sides of the 'v.'."""

from __future__ import annotations

import re

from docyard.facts.notation.legal_forms import FORM

_VERSUS = re.compile(
    r"(?<=[\s)\]])(?:v\.|vs\.|versus|V\.|V|v|gegen|-\s?against\s?-|-\s?AGAINST\s?-"
    r"|[-–—]\s?(?:and|AND)\s?[-–—])(?=[\s)\]])"
)
# Next to the 'v.', the other column of a caption may have the case number.
_OTHER_COLUMN = re.compile(
    r"[ \t)\]|:]{0,80}(?:Case|Index|Civil|Docket|No\.|Nos\.|USDC|Action|DECISION|ORDER|OPINION|MEMORANDUM"
    r"|JUDGMENT|COMPLAINT|SUMMONS)\b[^\n]*\n|[ \t]{0,80}(?:§|[ \t]{4})[^\n]*\n"
)
# The separator between the left and the right column of a caption.
_GUTTER = re.compile(r"\s{0,80}§|\s{4}|\s{2,80}[)|:](?:\s|$)")
_ROLE = re.compile(
    r"\(?\b(?:Plaintiffs?|Defendants?|Appell(?:ant|ee)s?|Petitioners?|Respondents?|Applicants?|Movants?"
    r"|Intervenors?|Claimants?|Kläger(?:in(?:nen)?)?|Beklagte[rn]?|Antragsteller(?:in)?|Antragsgegner(?:in)?)\b",
    re.IGNORECASE,
)
_ROLE_AT_END = re.compile(rf"\s{{1,80}}(?:{_ROLE.pattern})(?:/(?:{_ROLE.pattern}))?\W*$", re.IGNORECASE)
# Lawyers, who are named on a line between the two parties.
_COUNSEL = re.compile(r"\b(?:\w+bevollmächtigte\w*|Rechtsanw\w+)\b", re.IGNORECASE)
_GERMAN_LEAD = re.compile(r"(?:\d[.)]\s)?(?:(?:des|der|die|den|dem)\s)?(?:(?:Herrn?|Frau|Firma)\s)?")
_FIRST_NUMBER = re.compile(r"\(?1\)\s{1,3}")
_CITATION = re.compile(r"\b(?:See|see|cf|in|under|decision in|citing)\s{0,40}$|\d\s{1,40}(?:U\.|F\.|S\.|N\.|P\.|WL)")
_ABOVE_CAPTION = re.compile(
    r"\b(?:court|circuit|district of|no\.|nos\.|filed|decided|division|docket|appeal from|term|syllabus"
    r"|street|suite|clerk"
    r"|board|certiorari|rechtsstreit|urteil|beschluss|verkündet)\b|^between\W*$|\d{4}", re.IGNORECASE,
)  # fmt: skip
# Unlike `_ABOVE_CAPTION`, it does not match digits, because German captions contain the parties' addresses.
_ABOVE_GERMAN = re.compile(
    r"\b(?:rechtsstreit|\w*sache|verfahren|urteil|beschluss|verkündet|aktenzeichen|volkes|gericht)\b", re.IGNORECASE
)
_AFTER_NAME = re.compile(
    r"\n\s{0,40}\n|;\s|,\s{1,40}in\s{1,40}(?:his|her|their|its)\b|,?\s{1,40}(?:No\.|Nos\.|Case\b|et al\b)"
    r"|[a-z]{3}\.\s"
    r"|\s\d{1,4}\s{1,40}[A-Z]\.|\("
)
_TWO_COLUMNS = re.compile(r"(?<!\(\d)\)\s|\bNo\.\s|\d:\d\d-")
_EDGES = " )]|,*_-\t§"
_MAX_LINES, _MIN_CHARS, _MAX_CHARS, _MAX_CHARS_AFTER_ROLE = 4, 2, 200, 30

_LABELLED = re.compile(
    r"^[ \t*]{0,40}(?:Claimants?|Respondents?|Plaintiffs?|Defendants?|Applicants?|Appellants?|APPELANTE?S?"
    r"|INTIMÉE?S?|DEMANDEU(?:RS?|RESSE)|DÉFENDEU(?:RS?|RESSE)|Kläger(?:in)?|Beklagte[r]?)\*{0,2}[ \t]{0,9}:"
    rf"\*{{0,2}}\s{{1,9}}(?:(?:la |le |l.)?(?i:soci[eé]t[eé]) |(?:{FORM}|SA|SCI|Monsieur|Madame|M\.|Mme) )?"
    r"(?P<name>[^\n,;(]{3,100})",
    re.MULTILINE,
)

Side = tuple[int, int]


def find_sides(text: str) -> list[Side]:
    """Return the spans of both sides of the first 'v.' that is not in a citation; empty without a caption."""
    for versus in _VERSUS.finditer(text):
        begin, end = text.rfind("\n", 0, versus.start()) + 1, text.find("\n", versus.end())
        before = text[begin : versus.start()].strip(_EDGES)
        line = text[begin : end if end >= 0 else len(text)]
        if _CITATION.search(before) or _CITATION.search(line):
            continue
        if len(versus[0]) == 1 and before:
            continue  # a bare 'v' counts only if nothing precedes it on its line
        above = _ABOVE_GERMAN if versus[0] == "gegen" else _ABOVE_CAPTION
        first = _find_on_line(text, begin, versus.start()) if before else _find_above(text, begin, above)
        second = _find_after(text, versus.end())
        if first and second:
            sides = [_strip_role(text, side) for side in (first, second)]
            return [_strip_german_parts(text, side) for side in sides] if versus[0] == "gegen" else sides
    return []


def find_labelled_sides(text: str) -> list[Side]:
    """Return the spans of both sides if their roles precede them: 'Claimant: …' and 'Respondent: …'."""
    found = [_make_side(text, *match.span("name")) for match in _LABELLED.finditer(text)]
    sides = [side for side in found if side is not None]
    return sides[:2] if len(sides) > 1 else []


def _strip_role(text: str, side: Side) -> Side:
    """Return a side without the role after the name and the number before the first of several names."""
    role = _ROLE_AT_END.search(text, *side)
    number = _FIRST_NUMBER.match(text, *side)
    start, end = number.end() if number else side[0], role.start() if role else side[1]
    return start, start + len(text[start:end].rstrip(" ,\n"))


def _strip_german_parts(text: str, side: Side) -> Side:
    """Return a side without article and form of address before the name, and the text after a comma."""
    lead = _GERMAN_LEAD.match(text, *side)
    start = lead.end() if lead else side[0]
    comma = text.find(",", start, side[1])
    return start, comma if comma > start else side[1]


def _find_on_line(text: str, begin: int, end: int) -> Side | None:
    part = text[begin:end]
    separator = max(part.rfind(":"), part.rfind(";"), part.rfind("|"))
    return _make_side(text, begin + separator + 1, end)


def _find_above(text: str, begin: int, above: re.Pattern[str]) -> Side | None:
    """Return the name on the lines above the 'v.'; only one line if a second column is next to it."""
    lines = list(re.finditer(r"[^\n]+", text[:begin]))[-_MAX_LINES - 2 :]
    start = end = -1
    for line in reversed(lines):
        gutter = _GUTTER.search(line[0], len(line[0]) - len(line[0].lstrip()))
        left = line[0][: gutter.start()] if gutter else line[0]
        words = left.strip(_EDGES)
        if len(words) < _MIN_CHARS or _is_role(words):
            if end >= 0:
                break
            continue
        if end < 0 and _COUNSEL.search(words):
            continue
        if above.search(words):
            break
        if gutter and end >= 0:
            break
        end = line.start() + len(left) if end < 0 else end
        start = line.start()
        if gutter:
            break
    return _make_side(text, start, end) if end > start >= 0 else None


def _is_role(words: str) -> bool:
    role = _ROLE.match(words)
    return role is not None and len(words) - role.end() < _MAX_CHARS_AFTER_ROLE


def _find_after(text: str, offset: int) -> Side | None:
    column = _OTHER_COLUMN.match(text, offset)
    offset = column.end() if column else offset
    start = offset + len(text[offset:]) - len(text[offset:].lstrip(" \n\t)|]§"))
    stops = [_ROLE.search(text, start, start + 300), _AFTER_NAME.search(text, start, start + 300)]
    ends = [
        match.start() if match[0][:1] not in "abcdefghijklmnopqrstuvwxyz" else match.end() - 2
        for match in stops
        if match
    ]
    line_end = text.find("\n", start)
    line_end = line_end if line_end > 0 else len(text)
    gutter = _GUTTER.search(text, start, line_end)
    ends += [gutter.start()] if gutter else []
    ends += [] if text[start:line_end].rstrip().endswith((",", "and", "&", "AND")) else [line_end]
    return _make_side(text, start, min(ends, default=line_end))


def _make_side(text: str, start: int, end: int) -> Side | None:
    while start < end and text[start] in " \n" + _EDGES:
        start += 1
    while end > start and text[end - 1] in " \n" + _EDGES:
        end -= 1
    plausible = 2 < end - start < _MAX_CHARS and not _TWO_COLUMNS.search(text, start, end)
    return (start, end) if plausible else None
