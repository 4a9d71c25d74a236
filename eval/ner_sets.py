"""Texts whose people, organisations and places are known, from files in CoNLL's form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_DOCUMENT = "-DOCSTART-"
_NO_SPACE_BEFORE = re.compile(r"""[,.;:!?)\]}%…”]+$|['’´](?:s|S|re|ve|ll|d|m|t)?$|"\)?[,.;:]*$""")
_NO_SPACE_AFTER = re.compile(r"""^[(\[{„“$€£#@]+"?$""")

# What the sets call the kinds that every one of them knows in some form.
GENERAL = {"PER": "person", "ORG": "organisation", "LOC": "place"}
EMERGING = {
    "person": "person",
    "corporation": "organisation",
    "group": "organisation",
    "location": "place",
}
GERMAN_LAW = {
    "PER": "person",
    "RR": "person",
    "AN": "person",
    "ORG": "organisation",
    "UN": "organisation",
    "INN": "organisation",
    "LD": "place",
    "ST": "place",
    "STR": "place",
    "LDS": "place",
    "GRT": "court",
    "GS": "statute",
    "VO": "statute",
    "EUN": "statute",
    "RS": "citation",
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text and its true mentions, as (kind, start, end)."""

    text: str
    truth: frozenset[tuple[str, int, int]]


def read(path: Path, kinds: Mapping[str, str], *, by_sentence: bool = False) -> list[Labelled]:
    """The documents of a file; of one that marks no documents, its sentences."""
    return [_labelled(sentences, kinds) for sentences in _documents(path, by_sentence=by_sentence)]


Sentence = list[tuple[str, str]]


def _documents(path: Path, *, by_sentence: bool) -> Iterator[list[Sentence]]:
    document: list[Sentence] = []
    for sentence in _sentences(path):
        if by_sentence:
            yield [sentence]
        elif sentence[0][0] == _DOCUMENT:
            if document:
                yield document
            document = []
        else:
            document.append(sentence)
    if document:
        yield document


def _sentences(path: Path) -> Iterator[Sentence]:
    sentence: Sentence = []
    for line in path.read_text(encoding="utf-8").splitlines():
        columns = line.split()
        if len(columns) > 1:
            if columns[0] == _DOCUMENT and sentence:
                yield sentence
                sentence = []
            sentence.append((columns[0], columns[-1]))
            if columns[0] == _DOCUMENT:
                yield sentence
                sentence = []
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _labelled(sentences: list[Sentence], kinds: Mapping[str, str]) -> Labelled:
    """Words with the spaces between them that a writer would put there."""
    text, truth = "", set()
    for sentence in sentences:
        places = []
        for at, (word, _) in enumerate(sentence):
            if text and not (at and _close(sentence[at - 1][0], word)):
                text += " "
            places.append((len(text), len(text) + len(word)))
            text += word
        truth |= _mentions([tag for _, tag in sentence], places, kinds)
    return Labelled(text, frozenset(truth))


def _close(before: str, word: str) -> bool:
    return bool(_NO_SPACE_BEFORE.match(word) or _NO_SPACE_AFTER.match(before))


def _mentions(
    tags: list[str], places: list[tuple[int, int]], kinds: Mapping[str, str]
) -> set[tuple[str, int, int]]:
    found, first = set(), 0
    for at, tag in enumerate(tags):
        begins = at == 0 or tag.startswith("B-") or tag[2:] != tags[at - 1][2:]
        first = at if begins else first
        after = tags[at + 1] if at + 1 < len(tags) else "O"
        ends = after.startswith("B-") or after[2:] != tag[2:]
        if tag != "O" and ends and tag[2:] in kinds:
            found.add((kinds[tag[2:]], places[first][0], places[at][1]))
    return found
