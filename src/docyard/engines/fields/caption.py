"""The caption of a court's document: who stands on either side of the 'v.'."""

from __future__ import annotations

import re

_VERSUS = re.compile(
    r"(?<=[\s)\]])(?:v\.|vs\.|versus|V\.|V|v|gegen|-\s?against\s?-|-\s?AGAINST\s?-)(?=[\s)\]])"
)
# Beside the 'v.' the other column of a caption may have the number of the case.
_OTHER_COLUMN = re.compile(r"[ \t)\]|:]{0,80}(?:Case|Index|Civil|Docket|No\.|Nos\.|USDC|Action)\b[^\n]*\n")
_ROLE = re.compile(
    r"\(?\b(?:Plaintiffs?|Defendants?|Appell(?:ant|ee)s?|Petitioners?|Respondents?|Applicants?|Movants?"
    r"|Intervenors?)\b",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\b(?:See|see|cf|in|under|decision in|citing)\s{0,40}$|\d\s{1,40}(?:U\.|F\.|S\.|N\.|P\.|WL)"
)
_ABOVE_CAPTION = re.compile(
    r"\b(?:court|circuit|district of|no\.|nos\.|filed|decided|division|docket|appeal from|term|syllabus"
    r"|street|suite|clerk"
    r"|board|certiorari|rechtsstreit|urteil|beschluss|verkündet)\b|\d{4}", re.IGNORECASE,
)  # fmt: skip
_AFTER_NAME = re.compile(
    r"\n\s{0,40}\n|;\s|,\s{1,40}in\s{1,40}(?:his|her|their|its)\b|,?\s{1,40}(?:No\.|Nos\.|Case\b|et al\b)"
    r"|[a-z]{3}\.\s"
    r"|\s\d{1,4}\s{1,40}[A-Z]\.|\("
)
_TWO_COLUMNS = re.compile(r"\)\s|\bNo\.\s|\d:\d\d-")
_COLUMN = " )]|,*_-\t"
_MOST_LINES, _SHORTEST, _LONGEST = 4, 2, 200

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
        first = _same_line(head, begin, versus.start()) if before else _lines_above(head, begin)
        second = _after(head, versus.end())
        if first and second:
            return [first, second]
    return []


def _same_line(head: str, begin: int, at: int) -> Side | None:
    part = head[begin:at]
    mark = max(part.rfind(":"), part.rfind(";"), part.rfind("|"))
    return _side(head, begin + mark + 1, at)


def _lines_above(head: str, begin: int) -> Side | None:
    lines = list(re.finditer(r"[^\n]+", head[:begin]))[-_MOST_LINES - 2 :]
    start = end = -1
    for line in reversed(lines):
        words = line[0].strip(_COLUMN)
        if len(words) < _SHORTEST:
            if end >= 0:
                break
            continue
        role = _ROLE.match(words)
        if role and len(words) - role.end() < 30:
            if end >= 0:
                break
            continue
        if _ABOVE_CAPTION.search(words):
            break
        end = line.end() if end < 0 else end
        start = line.start()
    return _side(head, start, end) if end > start >= 0 else None


def _after(head: str, at: int) -> Side | None:
    column = _OTHER_COLUMN.match(head, at)
    at = column.end() if column else at
    start = at + len(head[at:]) - len(head[at:].lstrip(" \n\t)|]"))
    stops = [_ROLE.search(head, start, start + 300), _AFTER_NAME.search(head, start, start + 300)]
    ends = [
        match.start() if match[0][:1] not in "abcdefghijklmnopqrstuvwxyz" else match.end() - 2
        for match in stops
        if match
    ]
    line = head.find("\n", start)
    line = line if line > 0 else len(head)
    ends += [] if head[start:line].rstrip().endswith((",", "and", "&", "AND")) else [line]
    return _side(head, start, min(ends, default=line))


def _side(head: str, start: int, end: int) -> Side | None:
    while start < end and head[start] in " \n" + _COLUMN:
        start += 1
    while end > start and head[end - 1] in " \n" + _COLUMN:
        end -= 1
    whole = 2 < end - start < _LONGEST and not _TWO_COLUMNS.search(head, start, end)
    return (start, end) if whole else None
