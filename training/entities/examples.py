"""Training examples: windows of tokens with their tags, and variants of texts with other names."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from docyard.inference.tag_decoder import KINDS, TAGS
from docyard.inference.token_windows import Token, encode_shape, split_windows, tokenize
from eval.ner_sets import Labelled

MAINTENANCE = KINDS[4:]
IGNORED = -100  # tag of tokens that do not contribute to the loss


@dataclass(frozen=True)
class Example:
    """A window of tokens: their ids, shapes and tags."""

    tokens: list[int]
    shapes: list[int]
    tags: list[int]


def make_examples(tokenizer: Any, document: Labelled) -> list[Example]:
    """Return the windows of a document."""
    found = tokenize(tokenizer, document.text)
    tags = _make_tags(found, document)
    return [
        Example(
            [101, *(token.id for token in found[first:last]), 102],
            [0, *(encode_shape(token) for token in found[first:last]), 0],
            [IGNORED, *tags[first:last], IGNORED],
        )
        for first, last in split_windows(found, document.text)
    ]


def _make_tags(found: Sequence[Token], document: Labelled) -> list[int]:
    tags = [0] * len(found)
    first = 0
    for kind, start, end in sorted(document.truth, key=lambda each: each[1:]):
        while first < len(found) and found[first].end <= start:
            first += 1
        inside = first
        while inside < len(found) and found[inside].start < end:
            if kind in KINDS:
                prefix = "B" if inside == first or not tags[inside - 1] else "I"
                tags[inside] = TAGS.index(f"{prefix}-{kind}")
            else:
                tags[inside] = IGNORED
            inside += 1
    return [tag if token.starts_word else IGNORED for tag, token in zip(tags, found, strict=True)]


def vary(document: Labelled, names: dict[str, Sequence[str]], generator: random.Random, share: float) -> Labelled:
    """Return the document with a share of its names replaced, and sometimes in upper or lower case."""
    text, truth, position = "", set(), 0
    replaced: dict[tuple[str, str], str] = {}
    for kind, start, end in sorted(document.truth, key=lambda each: each[1:]):
        if start < position:
            continue
        name = document.text[start:end]
        if names.get(kind):
            if (kind, name) not in replaced:
                replaced[kind, name] = generator.choice(names[kind]) if generator.random() < share else name
            name = replaced[kind, name]
        text += document.text[position:start]
        truth.add((kind, len(text), len(text) + len(name)))
        text += name
        position = end
    text += document.text[position:]
    roll = generator.random()
    upper_share = 0.4 if any(kind in MAINTENANCE for kind, _, _ in truth) else 0.06
    if roll < upper_share and len(text.upper()) == len(text):
        text = text.upper()
    elif roll < upper_share + 0.03 and len(text.lower()) == len(text):
        text = text.lower()
    return Labelled(text, frozenset(truth))


def split_sentences(document: Labelled, min_length: int = 400) -> Iterable[Labelled]:
    """Yield parts of a few sentences each, so that names are replaced differently in each part."""
    cuts, last = [0], 0
    inside = sorted((start, end) for _, start, end in document.truth)
    for index, character in enumerate(document.text):
        ends = character == " " and index - last > min_length and document.text[index - 1] in ".!?;"
        if ends and not any(start < index < end for start, end in inside):
            cuts.append(index + 1)
            last = index
    cuts.append(len(document.text))
    for start, end in pairwise(cuts):
        truth = {(k, s - start, e - start) for k, s, e in document.truth if s >= start and e <= end}
        yield Labelled(document.text[start:end], frozenset(truth))
