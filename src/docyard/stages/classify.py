"""Classify: type, title, summary, date, language and tags of a document, as far as they are clear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import PurePath

from docyard.engines.key_words import key_words
from docyard.engines.language import language
from docyard.engines.summary import summary_of
from docyard.model.document_types import KnownTypes
from docyard.model.pages import Page
from docyard.model.stages import Given, Stage
from docyard.model.values import Classified, Extracted, Fetched, Source

_SHORTEST, _LONGEST = 3, 150
_LINES_LOOKED_AT = 40  # a title further down is no title
_SAMPLE_CHARS = 10_000
# What sentences stand in these are terms and thanks, the same in all of them.
_WITHOUT_SENTENCES = ("invoice", "receipt", "purchase_order", "spreadsheet", "bank_statement", "court_list")
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
_MAIL_HEAD = re.compile(r"(From|To|Cc|Date|Subject): .*")


def run(given: Given) -> Classified:
    """Take the title from the metadata if it is one, else from the text, and everything else from the"
    " text."""
    from docyard.engines.classify import type_of, types_of
    from docyard.engines.classify.dating import date_of

    extracted, source = given.the(Extracted), given.the(Source)
    sample = _sample(extracted.pages)
    title, spoken = _title(extracted.metadata_title, sample, source.name), language(sample)
    kinds = types_of(given.the(KnownTypes))
    verdict = type_of(extracted.pages, given.the(Fetched).media_type, kinds)
    return Classified(
        title,
        spoken,
        verdict.kind,
        verdict.confidence,
        verdict.evidence,
        None if verdict.kind in _WITHOUT_SENTENCES else summary_of(extracted.pages, title),
        date_of(verdict.kind, extracted.pages, spoken),
        key_words(sample, title),
    )


def _sample(pages: Iterable[Page]) -> str:
    """The beginning of the text, as much as both questions need."""
    texts: list[str] = []
    room = _SAMPLE_CHARS
    for page in pages:
        texts.append(page.text[:room])
        room -= len(texts[-1])
        if room <= 0:
            break
    return "\n".join(texts)


def _title(metadata: str | None, text: str, name: str) -> str | None:
    lines = list(islice(_lines(text), _LINES_LOOKED_AT))
    headings = (match[1] for line in lines if (match := _HEADING.fullmatch(line)))
    if metadata and _is_given_title(metadata, name):
        return metadata.strip()
    heading = next(
        (line for line in headings if _is_sensible(line) and not _MADE_BY_PROGRAM.fullmatch(line)), None
    )
    return heading or next(filter(_is_prose, lines), None) or _named(lines, name)


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


STAGE = Stage("classify", 3, "cpu", (Source, Fetched, Extracted, KnownTypes), Classified, run)
