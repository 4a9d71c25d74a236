"""The title of a document: the one its author set, else a suitable line of its text or, if none, its file name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import PurePath

from docyard.facts.fields.layout.rows import split_lines
from docyard.facts.notation.addresses import is_address
from docyard.facts.notation.date_labels import is_own_date
from docyard.facts.notation.dates import find_dates
from docyard.facts.notation.mail_headers import HEADER_LABEL, SUBJECT_LABEL
from docyard.model.text.pages import OCR, Page

_MIN_LETTERS, _MAX_CHARS = 3, 150
_MAX_LINES = 40  # titles are near the top
_TYPES_WITH_SUBJECT = ("letter", "email")
_GENERATED_TITLE = re.compile(
    r"microsoft (word|excel|powerpoint)\b.*|(untitled( \w+)?|unbenannt|sans titre|(new )?document|dokument|"
    r"(power ?point )?presentation|slide|scan(ned document)?|print|(no )?title|page|about:blank|"
    r"sheet|tabelle|feuil|hoja|foglio|blad|arkusz|munka|list|planilha)[\s\d]*",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(
    r"\S+\.[a-z]{1,4}\d?|\S*_\S*|.*\.(docx?|xlsx?|pptx?|pdf|rtf|odt|indd|tex|html?|txt)", re.IGNORECASE
)
_URL = re.compile(r"[a-z]+://|www\.|file:", re.IGNORECASE)
_HEADING = re.compile(r"#{1,3}\s+(.*?)\s*#*")
_TABLE_ROW = re.compile(r"\|.*\|")
_MARKUP = re.compile(r"<[?!/\w].*")
_MAIL_HEADER = re.compile(rf"(?:{HEADER_LABEL})\s?: .*")
_SUBJECT = re.compile(rf"(?:re|ref|betr\.?|betrifft|betreft|{SUBJECT_LABEL})\s?:\s?(?P<words>\S.*)", re.IGNORECASE)
_GREETING = re.compile(
    r"(?:dear\b|sehr geehrte|guten tag|liebe[rs]?\b|chère?s?\b|geachte|beste\b|estimad[oa]s?\b|muy señor"
    r"|(?:madame|monsieur|mesdames|messieurs)\b[^,]{0,40},|gentil[ei]\b|egregi[oa]\b|prezad[oa]s?\b"
    r"|to whom it may concern|ladies and gentlemen).*",
    re.IGNORECASE,
)
# Lines that often precede a title: case and page numbers, contact details, labels without a value.
_NOT_A_TITLE = re.compile(
    r"(?:page|seite|sheet|tel|telephone|phone|fax|e-?mail|case no|neutral citation|our ref|your ref|ref)\b.*"
    r"|.*@\S+\.\S+.*|(?:www\.|https?://).*|(?:between|before|zwischen|entre|herrn?|frau|an|to|firma)\W*"
    r"|(?:\S+\s){0,2}\S+:|(?:case|appeal|document|doc|usca\d*)\W{1,3}[\d:][^a-z]*(?:\b(?:document|doc|filed|page|pg)\b.*)?"
    r"|.*,\s[a-z ]{2,20}\s\d{5}(?:-\d{4})?|\(?\d\)\s.*|\[\d{4}\]\s.*|.*§.*",
    re.IGNORECASE,
)
# Words in the titles of contracts. A line with one of them is preferred, because other lines may precede it.
_CONTRACT = re.compile(
    r"\b(?:agreement|contract|lease|deed|amendment|addendum|guarant(?:y|ee)|promissory note|indenture"
    r"|\w*vertrag|\w*vereinbarung|contrat|bail|contrato"
    r"|contratto|\w*overeenkomst)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s[·•●|]\s")  # between a sender's name and address
_MAX_NAME_CHARS, _MAX_NAME_LINES = 70, 8
_COLUMN_GAP = 2.5  # line heights between two columns
_DATE_PREFIX = re.compile(r"(?:dated|dated as of|date|datum)\W*", re.IGNORECASE)


def choose_title(metadata: str | None, pages: Sequence[Page], text: str, name: str, kind: str | None) -> str | None:
    """Return the title of a document, or None if nothing is suitable.

    In order of preference: the title set by a person, the subject of a letter or e-mail, a heading, for
    contracts a line that names a contract, the first suitable line, and for tables and markup the file name.
    """
    lines = list(islice(_read_lines(text), _MAX_LINES))
    headings = (match[1] for line in lines if (match := _HEADING.fullmatch(line)))
    if metadata and _is_given_title(metadata, name):
        return metadata.strip()
    subject = _find_subject(lines) if kind in _TYPES_WITH_SUBJECT else None
    if subject:
        return subject
    heading = next((line for line in headings if _is_sensible(line) and not _GENERATED_TITLE.fullmatch(line)), None)
    if heading:
        return heading
    column_lines = list(islice(_split_columns(pages), _MAX_LINES))
    candidates = [line for line in map(_remove_address, column_lines or lines) if _is_candidate(line)]
    preferred = [line for line in candidates if not _precedes_title(line)] or candidates
    contract_names = (
        line for line in preferred[:_MAX_NAME_LINES] if len(line) <= _MAX_NAME_CHARS and _CONTRACT.search(line)
    )
    chosen = next(contract_names, None) if kind == "contract" else None
    return chosen or next(iter(preferred), None) or _use_file_name(lines, name)


def _remove_address(line: str) -> str:
    parts = _SEPARATOR.split(line)
    return parts[0] if len(parts) > 1 and is_address(parts[-1]) and not _TABLE_ROW.fullmatch(line) else line


def _split_columns(pages: Sequence[Page]) -> Iterator[str]:
    """Yield the lines of the first page, split between columns; nothing for a scan or without word boxes."""
    if pages and pages[0].words and pages[0].source != OCR:
        yield from filter(None, split_lines(pages[0], _COLUMN_GAP))


def _find_subject(lines: Sequence[str]) -> str | None:
    """Return the subject of a letter or message: after a subject label, or on the line above the greeting."""
    for previous, line in pairwise(("", *lines)):
        match = _SUBJECT.fullmatch(line)
        if match and _is_sensible(match["words"]) and "=?" not in match["words"]:
            return match["words"].strip(" *")
        if _GREETING.fullmatch(line):
            return previous if _is_subject_line(previous) else None
    return None


def _is_subject_line(line: str) -> bool:
    return bool(line) and _is_candidate(line) and not _precedes_title(line) and not is_address(line)


def _precedes_title(line: str) -> bool:
    """Return whether a line is a date, part of an address, or another line that often precedes the title."""
    if _NOT_A_TITLE.fullmatch(line):
        return True
    for dated in find_dates(line):
        before, after = line[: dated.start], line[dated.end :]
        if is_own_date(before, after) or (_DATE_PREFIX.fullmatch(before) and not after.strip(" .,")):
            return True
    return is_address(line)


def _is_candidate(line: str) -> bool:
    """Return whether a line could be a title and is not a heading, table data or a mail header."""
    excluded = _HEADING.fullmatch(line) or _is_data(line) or _MAIL_HEADER.fullmatch(line)
    return not excluded and _is_sensible(line)


def _is_data(line: str) -> bool:
    return bool(_TABLE_ROW.fullmatch(line) or _MARKUP.fullmatch(line))


def _use_file_name(lines: list[str], name: str) -> str | None:
    """Return the file name without extension if the text has table rows or markup; else None."""
    stem = PurePath(name).stem.strip()
    usable = _is_sensible(stem) and not _GENERATED_TITLE.fullmatch(stem)
    return stem if usable and any(map(_is_data, lines)) else None


def _read_lines(text: str) -> Iterator[str]:
    return (" ".join(line.split()) for line in text.splitlines() if line.strip())


def _is_given_title(title: str, name: str) -> bool:
    """Return whether a person wrote this title; programs write file names, URLs or words like "Untitled"."""
    if not _is_sensible(title):  # first, because it limits the length that the patterns below scan
        return False
    stem = PurePath(name).stem.casefold()
    generated = _GENERATED_TITLE.fullmatch(title) or _FILE_NAME.fullmatch(title) or _URL.match(title)
    return not generated and title.casefold() != stem


def _is_sensible(line: str) -> bool:
    """Return whether a line is short and has enough letters.

    At least three characters, and at least 40 % of the characters other than spaces, must be letters.
    """
    if len(line) > _MAX_CHARS:
        return False
    letters = sum(map(str.isalpha, line))
    solid = len(line) - line.count(" ")
    return letters >= _MIN_LETTERS and letters * 5 >= solid * 2
