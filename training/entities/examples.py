"""Windows of word pieces with their true tags, and variants of them with other names."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from docyard.inference.tag_decoder import KINDS, TAGS
from docyard.inference.token_windows import Piece, pieces, shape_number, windows
from eval.ner_sets import Labelled

MAINTENANCE = KINDS[4:]
LEFT_OUT = -100  # a piece that teaches nothing


@dataclass(frozen=True)
class Example:
    """One window: numbers of pieces, shapes, tags."""

    tokens: list[int]
    shapes: list[int]
    tags: list[int]


def examples(tokenizer: Any, document: Labelled) -> list[Example]:
    """The windows of a document."""
    found = pieces(tokenizer, document.text)
    tags = _tags(found, document)
    return [
        Example(
            [101, *(piece.token for piece in found[first:last]), 102],
            [0, *(shape_number(piece) for piece in found[first:last]), 0],
            [LEFT_OUT, *tags[first:last], LEFT_OUT],
        )
        for first, last in windows(found, document.text)
    ]


def _tags(found: Sequence[Piece], document: Labelled) -> list[int]:
    tags = [0] * len(found)
    at = 0
    for kind, start, end in sorted(document.truth, key=lambda each: each[1:]):
        while at < len(found) and found[at].end <= start:
            at += 1
        inside = at
        while inside < len(found) and found[inside].start < end:
            if kind in KINDS:
                letter = "B" if inside == at or not tags[inside - 1] else "I"
                tags[inside] = TAGS.index(f"{letter}-{kind}")
            else:
                tags[inside] = LEFT_OUT
            inside += 1
    return [tag if piece.first else LEFT_OUT for tag, piece in zip(tags, found, strict=True)]


def varied(
    document: Labelled, names: dict[str, Sequence[str]], chance: random.Random, share: float
) -> Labelled:
    """The same text with some of its names replaced by others of their kind, or in capitals."""
    text, truth, before = "", set(), 0
    swapped: dict[tuple[str, str], str] = {}
    for kind, start, end in sorted(document.truth, key=lambda each: each[1:]):
        if start < before:
            continue
        name = document.text[start:end]
        if names.get(kind):
            if (kind, name) not in swapped:
                swapped[kind, name] = chance.choice(names[kind]) if chance.random() < share else name
            name = swapped[kind, name]
        text += document.text[before:start]
        truth.add((kind, len(text), len(text) + len(name)))
        text += name
        before = end
    text += document.text[before:]
    roll = chance.random()
    capitals = 0.4 if any(kind in MAINTENANCE for kind, _, _ in truth) else 0.06
    if roll < capitals and len(text.upper()) == len(text):
        text = text.upper()
    elif roll < capitals + 0.03 and len(text.lower()) == len(text):
        text = text.lower()
    return Labelled(text, frozenset(truth))


def sentences(document: Labelled, most: int = 400) -> Iterable[Labelled]:
    """Parts of a document of some sentences, so that variants differ from part to part."""
    cuts, last = [0], 0
    inside = sorted((start, end) for _, start, end in document.truth)
    for at, letter in enumerate(document.text):
        ends = letter == " " and at - last > most and document.text[at - 1] in ".!?;"
        if ends and not any(start < at < end for start, end in inside):
            cuts.append(at + 1)
            last = at
    cuts.append(len(document.text))
    for start, end in pairwise(cuts):
        truth = {(k, s - start, e - start) for k, s, e in document.truth if s >= start and e <= end}
        yield Labelled(document.text[start:end], frozenset(truth))
