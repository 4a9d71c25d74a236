"""The title of a document: what a person gave it, else the line of its text that is most like one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import PurePath

from docyard.facts.fields.layout.rows import parted_lines
from docyard.facts.notation.addresses import is_address
from docyard.facts.notation.date_labels import is_own_date
from docyard.facts.notation.dates import find_dates
from docyard.facts.notation.mail_headers import HEADER_LABEL, SUBJECT_LABEL
from docyard.model.text.pages import OCR, Page

_SHORTEST, _LONGEST = 3, 150
_LINES_LOOKED_AT = 40  # a title further down is no title
_WITH_SUBJECT = ("letter", "email")
_MADE_BY_PROGRAM = re.compile(
    r"microsoft (word|excel|powerpoint)\b.*|(untitled( \w+)?|unbenannt|sans titre|(new )?document|dokument|"
    r"(power ?point )?presentation|slide|scan(ned document)?|print|(no )?title|page|about:blank|"
    r"sheet|tabelle|feuil|hoja|foglio|blad|arkusz|munka|list|planilha)[\s\d]*",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\S+\.[a-z]{1,4}\d?|\S*_\S*|.*\.(docx?|xlsx?|pptx?|pdf|rtf|odt|indd|tex|html?|txt)", re.IGNORECASE
)
_ADDRESS = re.compile(r"[a-z]+://|www\.|file:", re.IGNORECASE)
_HEADING = re.compile(r"#{1,3}\s+(.*?)\s*#*")
_ROW = re.compile(r"\|.*\|")
_MARKUP = re.compile(r"<[?!/\w].*")
_MAIL_HEAD = re.compile(rf"(?:{HEADER_LABEL})\s?: .*")
_SUBJECT = re.compile(
    rf"(?:re|ref|betr\.?|betrifft|betreft|{SUBJECT_LABEL})\s?:\s?(?P<words>\S.*)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:dear\b|sehr geehrte|guten tag|liebe[rs]?\b|chère?s?\b|geachte|beste\b|estimad[oa]s?\b|muy señor"
    r"|(?:madame|monsieur|mesdames|messieurs)\b[^,]{0,40},|gentil[ei]\b|egregi[oa]\b|prezad[oa]s?\b"
    r"|to whom it may concern|ladies and gentlemen).*",
    re.IGNORECASE,
)
# What stands above a title: numbers of cases and pages, how to reach the sender, a label without its value.
_NO_TITLE = re.compile(
    r"(?:page|seite|sheet|tel|telephone|phone|fax|e-?mail|case no|neutral citation|our ref|your ref|ref)\b.*"
    r"|.*@\S+\.\S+.*|(?:www\.|https?://).*|(?:between|before|zwischen|entre|herrn?|frau|an|to|firma)\W*"
    r"|(?:\S+\s){0,2}\S+:|(?:case|appeal|document|doc|usca\d*)\W{1,3}[\d:][^a-z]*(?:\b(?:document|doc|filed|page|pg)\b.*)?"
    r"|.*,\s[a-z ]{2,20}\s\d{5}(?:-\d{4})?|\(?\d\)\s.*|\[\d{4}\]\s.*|.*§.*",
    re.IGNORECASE,
)
# Below these, a contract has its name.
_CONTRACT = re.compile(
    r"\b(?:agreement|contract|lease|deed|amendment|addendum|guarant(?:y|ee)|promissory note|indenture"
    r"|\w*vertrag|\w*vereinbarung|contrat|bail|contrato"
    r"|contratto|\w*overeenkomst)\b",
    re.IGNORECASE,
)
_PARTED = re.compile(r"\s[·•●|]\s")  # a sender's name from its address
_LONGEST_NAME, _NAME_LINES = 70, 8
_WIDE = 2.5  # heights of a line between two columns
_DATED = re.compile(r"(?:dated|dated as of|date|datum)\W*", re.IGNORECASE)


def title_of(
    metadata: str | None, pages: Sequence[Page], text: str, name: str, kind: str | None
) -> str | None:
    """The title that a person gave; else what a letter is about; else a heading; else the first line that
    could be one."""
    lines = list(islice(_lines(text), _LINES_LOOKED_AT))
    headings = (match[1] for line in lines if (match := _HEADING.fullmatch(line)))
    if metadata and _is_given_title(metadata, name):
        return metadata.strip()
    subject = _subject(lines) if kind in _WITH_SUBJECT else None
    if subject:
        return subject
    heading = next(
        (line for line in headings if _is_sensible(line) and not _MADE_BY_PROGRAM.fullmatch(line)), None
    )
    if heading:
        return heading
    cells = list(islice(_cells(pages), _LINES_LOOKED_AT))
    prose = [line for line in map(_first_part, cells or lines) if _is_prose(line)]
    likely = [line for line in prose if not _is_other(line)] or prose
    named = (line for line in likely[:_NAME_LINES] if len(line) <= _LONGEST_NAME and _CONTRACT.search(line))
    chosen = next(named, None) if kind == "contract" else None
    return chosen or next(iter(likely), None) or _named(lines, name)


def _first_part(line: str) -> str:
    parts = _PARTED.split(line)
    return parts[0] if len(parts) > 1 and is_address(parts[-1]) and not _ROW.fullmatch(line) else line


def _cells(pages: Sequence[Page]) -> Iterator[str]:
    """The lines of a page whose words have places, parted where a wide gap parts them: two columns at the
    top are no one line."""
    if pages and pages[0].words and pages[0].source != OCR:
        yield from filter(None, parted_lines(pages[0], _WIDE))


def _subject(lines: Sequence[str]) -> str | None:
    """What a letter or message says that it is about: after such a word, or right above the greeting."""
    for before, line in pairwise(("", *lines)):
        words = _SUBJECT.fullmatch(line)
        if words and _is_sensible(words["words"]) and "=?" not in words["words"]:
            return words["words"].strip(" *")
        if _GREETING.fullmatch(line):
            return before if _is_about(before) else None
    return None


def _is_about(line: str) -> bool:
    return bool(line) and _is_prose(line) and not _is_other(line) and not is_address(line)


def _is_other(line: str) -> bool:
    """Whether a line is a date, part of an address, or something else that often stands above the title."""
    if _NO_TITLE.fullmatch(line):
        return True
    for dated in find_dates(line):
        before, after = line[: dated.start], line[dated.end :]
        if is_own_date(before, after) or (_DATED.fullmatch(before) and not after.strip(" .,")):
            return True
    return is_address(line)


def _is_prose(line: str) -> bool:
    """Whether a line could be a title, and is no heading (they come first), data, or head of a message."""
    other = _HEADING.fullmatch(line) or _is_data(line) or _MAIL_HEAD.fullmatch(line)
    return not other and _is_sensible(line)


def _is_data(line: str) -> bool:
    return bool(_ROW.fullmatch(line) or _MARKUP.fullmatch(line))


def _named(lines: list[str], name: str) -> str | None:
    """Tables and XML have no title in their text; the name of the file is the best there is."""
    stem = PurePath(name).stem.strip()
    usable = _is_sensible(stem) and not _MADE_BY_PROGRAM.fullmatch(stem)
    return stem if usable and any(map(_is_data, lines)) else None


def _lines(text: str) -> Iterator[str]:
    return (" ".join(line.split()) for line in text.splitlines() if line.strip())


def _is_given_title(title: str, name: str) -> bool:
    """Whether a person wrote this title: programs put file names, addresses and their own names there."""
    if not _is_sensible(title):  # first, because it bounds what the patterns below may read
        return False
    stem = PurePath(name).stem.casefold()
    made = _MADE_BY_PROGRAM.fullmatch(title) or _FILE_NAME.fullmatch(title) or _ADDRESS.match(title)
    return not made and title.casefold() != stem


def _is_sensible(line: str) -> bool:
    """Whether the line could be a title: neither a number nor a rule, and at least two letters in five."""
    if len(line) > _LONGEST:
        return False
    letters = sum(map(str.isalpha, line))
    solid = len(line) - line.count(" ")
    return letters >= _SHORTEST and letters * 5 >= solid * 2
