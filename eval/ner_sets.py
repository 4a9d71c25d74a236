"""Labelled texts from files in CoNLL format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_DOCUMENT = "-DOCSTART-"
_NO_SPACE_BEFORE = re.compile(r"""[,.;:!?)\]}%…”]+$|['’´](?:s|S|re|ve|ll|d|m|t)?$|"\)?[,.;:]*$""")
_NO_SPACE_AFTER = re.compile(r"""^[(\[{„“$€£#@]+"?$""")

# Labels of the sets and the kinds of mentions they correspond to.
GENERAL = {"PER": "person", "ORG": "organisation", "LOC": "place"}
EMERGING = {"person": "person", "corporation": "organisation", "group": "organisation", "location": "place"}
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
    """A text with its true mentions as (kind, start, end)."""

    text: str
    truth: frozenset[tuple[str, int, int]]


def read(path: Path, kinds: Mapping[str, str], *, by_sentence: bool = False) -> list[Labelled]:
    """Return the documents of a file or, with `by_sentence`, its sentences."""
    return [_label(sentences, kinds) for sentences in _read_documents(path, by_sentence=by_sentence)]


Sentence = list[tuple[str, str]]


def _read_documents(path: Path, *, by_sentence: bool) -> Iterator[list[Sentence]]:
    document: list[Sentence] = []
    for sentence in _read_sentences(path):
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


def _read_sentences(path: Path) -> Iterator[Sentence]:
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


def _label(sentences: list[Sentence], kinds: Mapping[str, str]) -> Labelled:
    """Join the words with normal spacing, and return the text with its mentions."""
    text, truth = "", set()
    for sentence in sentences:
        offsets = []
        for index, (word, _) in enumerate(sentence):
            if text and not (index and _is_joined(sentence[index - 1][0], word)):
                text += " "
            offsets.append((len(text), len(text) + len(word)))
            text += word
        truth |= _find_mentions([tag for _, tag in sentence], offsets, kinds)
    return Labelled(text, frozenset(truth))


def _is_joined(previous: str, word: str) -> bool:
    return bool(_NO_SPACE_BEFORE.match(word) or _NO_SPACE_AFTER.match(previous))


def _find_mentions(
    tags: list[str], offsets: list[tuple[int, int]], kinds: Mapping[str, str]
) -> set[tuple[str, int, int]]:
    found, first = set(), 0
    for index, tag in enumerate(tags):
        begins = index == 0 or tag.startswith("B-") or tag[2:] != tags[index - 1][2:]
        first = index if begins else first
        following = tags[index + 1] if index + 1 < len(tags) else "O"
        ends = following.startswith("B-") or following[2:] != tag[2:]
        if tag != "O" and ends and tag[2:] in kinds:
            found.add((kinds[tag[2:]], offsets[first][0], offsets[index][1]))
    return found
