"""The caption of a court's document: who stands on either side of the 'v.'."""

from __future__ import annotations

import re

from docyard.facts.notation.legal_forms import FORM

_VERSUS = re.compile(
    r"(?<=[\s)\]])(?:v\.|vs\.|versus|V\.|V|v|gegen|-\s?against\s?-|-\s?AGAINST\s?-"
    r"|[-–—]\s?(?:and|AND)\s?[-–—])(?=[\s)\]])"
)
# Beside the 'v.' the other column of a caption may have the number of the case.
_OTHER_COLUMN = re.compile(
    r"[ \t)\]|:]{0,80}(?:Case|Index|Civil|Docket|No\.|Nos\.|USDC|Action|DECISION|ORDER|OPINION|MEMORANDUM"
    r"|JUDGMENT|COMPLAINT|SUMMONS)\b[^\n]*\n|[ \t]{0,80}(?:§|[ \t]{4})[^\n]*\n"
)
# What parts the left column of a caption from the right one.
_GUTTER = re.compile(r"\s{0,80}§|\s{4}|\s{2,80}[)|:](?:\s|$)")
_ROLE = re.compile(
    r"\(?\b(?:Plaintiffs?|Defendants?|Appell(?:ant|ee)s?|Petitioners?|Respondents?|Applicants?|Movants?"
    r"|Intervenors?|Claimants?|Kläger(?:in(?:nen)?)?|Beklagte[rn]?|Antragsteller(?:in)?|Antragsgegner(?:in)?)\b",
    re.IGNORECASE,
)
_ROLE_AT_END = re.compile(rf"\s{{1,80}}(?:{_ROLE.pattern})(?:/(?:{_ROLE.pattern}))?\W*$", re.IGNORECASE)
# Who speaks for a party, on a line between it and the other one.
_COUNSEL = re.compile(r"\b(?:\w+bevollmächtigte\w*|Rechtsanw\w+)\b", re.IGNORECASE)
_GERMAN_LEAD = re.compile(r"(?:\d[.)]\s)?(?:(?:des|der|die|den|dem)\s)?(?:(?:Herrn?|Frau|Firma)\s)?")
_NUMBERED = re.compile(r"\(?1\)\s{1,3}")
_CITED = re.compile(
    r"\b(?:See|see|cf|in|under|decision in|citing)\s{0,40}$|\d\s{1,40}(?:U\.|F\.|S\.|N\.|P\.|WL)"
)
_ABOVE_CAPTION = re.compile(
    r"\b(?:court|circuit|district of|no\.|nos\.|filed|decided|division|docket|appeal from|term|syllabus"
    r"|street|suite|clerk"
    r"|board|certiorari|rechtsstreit|urteil|beschluss|verkündet)\b|^between\W*$|\d{4}", re.IGNORECASE,
)  # fmt: skip
# German captions have the addresses of the parties, with post codes.
_ABOVE_GERMAN = re.compile(
    r"\b(?:rechtsstreit|\w*sache|verfahren|urteil|beschluss|verkündet|aktenzeichen|volkes|gericht)\b",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(
    r"\n\s{0,40}\n|;\s|,\s{1,40}in\s{1,40}(?:his|her|their|its)\b|,?\s{1,40}(?:No\.|Nos\.|Case\b|et al\b)"
    r"|[a-z]{3}\.\s"
    r"|\s\d{1,4}\s{1,40}[A-Z]\.|\("
)
_TWO_COLUMNS = re.compile(r"(?<!\(\d)\)\s|\bNo\.\s|\d:\d\d-")
_COLUMN = " )]|,*_-\t§"
_MOST_LINES, _SHORTEST, _LONGEST, _AFTER_ROLE = 4, 2, 200, 30

_LABELLED = re.compile(
    r"^[ \t*]{0,40}(?:Claimants?|Respondents?|Plaintiffs?|Defendants?|Applicants?|Appellants?|APPELANTE?S?"
    r"|INTIMÉE?S?|DEMANDEU(?:RS?|RESSE)|DÉFENDEU(?:RS?|RESSE)|Kläger(?:in)?|Beklagte[r]?)\*{0,2}[ \t]{0,9}:"
    rf"\*{{0,2}}\s{{1,9}}(?:(?:la |le |l.)?(?i:soci[eé]t[eé]) |(?:{FORM}|SA|SCI|Monsieur|Madame|M\.|Mme) )?"
    r"(?P<name>[^\n,;(]{3,100})",
    re.MULTILINE,
)

Side = tuple[int, int]


def sides_of(head: str) -> list[Side]:
    """The places of both sides of the first 'v.' that is no citation; none where there is no caption."""
    for versus in _VERSUS.finditer(head):
        begin, end = head.rfind("\n", 0, versus.start()) + 1, head.find("\n", versus.end())
        before = head[begin : versus.start()].strip(_COLUMN)
        line = head[begin : end if end >= 0 else len(head)]
        if _CITED.search(before) or _CITED.search(line):
            continue
        if len(versus[0]) == 1 and before:
            continue  # a letter alone is a 'v.' only where it stands alone
        above = _ABOVE_GERMAN if versus[0] == "gegen" else _ABOVE_CAPTION
        first = _same_line(head, begin, versus.start()) if before else _lines_above(head, begin, above)
        second = _after(head, versus.end())
        if first and second:
            sides = [_without_role(head, side) for side in (first, second)]
            return [_german(head, side) for side in sides] if versus[0] == "gegen" else sides
    return []


def labelled_sides(head: str) -> list[Side]:
    """The sides where each has its role before it: 'Claimant: …' and 'Respondent: …'."""
    found = [_side(head, *match.span("name")) for match in _LABELLED.finditer(head)]
    sides = [side for side in found if side is not None]
    return sides[:2] if len(sides) > 1 else []


def _without_role(head: str, side: Side) -> Side:
    """Without the role that a caption has beside the name, and the number before the first of several."""
    role = _ROLE_AT_END.search(head, *side)
    number = _NUMBERED.match(head, *side)
    start, end = number.end() if number else side[0], role.start() if role else side[1]
    return start, start + len(head[start:end].rstrip(" ,\n"))


def _german(head: str, side: Side) -> Side:
    """Without article and form of address, and without who represents it and where it is."""
    lead = _GERMAN_LEAD.match(head, *side)
    start = lead.end() if lead else side[0]
    comma = head.find(",", start, side[1])
    return start, comma if comma > start else side[1]


def _same_line(head: str, begin: int, at: int) -> Side | None:
    part = head[begin:at]
    mark = max(part.rfind(":"), part.rfind(";"), part.rfind("|"))
    return _side(head, begin + mark + 1, at)


def _lines_above(head: str, begin: int, above: re.Pattern[str]) -> Side | None:
    """The name above the 'v.': its lines, or the nearest one where another column stands beside it."""
    lines = list(re.finditer(r"[^\n]+", head[:begin]))[-_MOST_LINES - 2 :]
    start = end = -1
    for line in reversed(lines):
        gutter = _GUTTER.search(line[0], len(line[0]) - len(line[0].lstrip()))
        left = line[0][: gutter.start()] if gutter else line[0]
        words = left.strip(_COLUMN)
        if len(words) < _SHORTEST or _is_role(words):
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
    return _side(head, start, end) if end > start >= 0 else None


def _is_role(words: str) -> bool:
    role = _ROLE.match(words)
    return role is not None and len(words) - role.end() < _AFTER_ROLE


def _after(head: str, at: int) -> Side | None:
    column = _OTHER_COLUMN.match(head, at)
    at = column.end() if column else at
    start = at + len(head[at:]) - len(head[at:].lstrip(" \n\t)|]§"))
    stops = [_ROLE.search(head, start, start + 300), _AFTER_NAME.search(head, start, start + 300)]
    ends = [
        match.start() if match[0][:1] not in "abcdefghijklmnopqrstuvwxyz" else match.end() - 2
        for match in stops
        if match
    ]
    line = head.find("\n", start)
    line = line if line > 0 else len(head)
    gutter = _GUTTER.search(head, start, line)
    ends += [gutter.start()] if gutter else []
    ends += [] if head[start:line].rstrip().endswith((",", "and", "&", "AND")) else [line]
    return _side(head, start, min(ends, default=line))


def _side(head: str, start: int, end: int) -> Side | None:
    while start < end and head[start] in " \n" + _COLUMN:
        start += 1
    while end > start and head[end - 1] in " \n" + _COLUMN:
        end -= 1
    whole = 2 < end - start < _LONGEST and not _TWO_COLUMNS.search(head, start, end)
    return (start, end) if whole else None
