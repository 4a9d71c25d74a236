"""Word pieces of a text with their places and shapes, cut into windows that a model reads at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MOST = 126  # pieces of a window; longer ones cost more and gained nothing
_ENOUGH = 60  # from here on a window ends with the sentence

# How a word is written, which a vocabulary in lower case does not tell.
SHAPES = ("other", "lower", "title", "upper", "letter", "mixed", "digits", "coded")
_NO_WORDS = {SHAPES.index("other"), SHAPES.index("digits")}
_BREAK = re.compile(r"\n\s*\n|[.!?:;]\s*$|\n")


class Piece(NamedTuple):
    """A word piece: its number in the vocabulary, its place, and what its letters looked like."""

    token: int
    start: int
    end: int
    first: bool  # of its word
    shape: int
    glued: bool  # to the word before it, without a space
    opens: bool  # a line


def load_tokenizer(folder: Path) -> Any:
    """The sentence model's tokenizer, for texts of any length."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def pieces(tokenizer: Any, text: str) -> list[Piece]:
    """All pieces of a text, in order; a place is that of the original letters."""
    encoded = tokenizer.encode(text, add_special_tokens=False)
    words: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(encoded.word_ids, encoded.offsets, strict=True):
        words[word] = (words[word][0], end) if word in words else (start, end)
    looks = _looks(text, words)
    seen: set[int] = set()
    found = []
    for token, word, (start, end) in zip(encoded.ids, encoded.word_ids, encoded.offsets, strict=True):
        found.append(Piece(token, start, end, word not in seen, *looks[word]))
        seen.add(word)
    return found


def _looks(text: str, words: dict[int, tuple[int, int]]) -> dict[int, tuple[int, bool, bool]]:
    """Each word's shape, whether it is glued to the one before, and whether it opens a line."""
    looks, before = {}, None
    for word, (start, end) in words.items():
        gap = "\n" if before is None else text[before:start]
        looks[word] = (shape_of(text[start:end]), not gap, "\n" in gap)
        before = end
    return looks


def shape_of(word: str) -> int:
    """The number of a word's shape."""
    return SHAPES.index(_shape(word))


def _shape(word: str) -> str:
    if not word[:1].isalnum():
        return "other"
    if any(letter.isdigit() for letter in word):
        return "digits" if word.isdigit() else "coded"
    if word.isupper():
        return "upper" if len(word) > 1 else "letter"
    if word.islower():
        return "lower"
    return "title" if word[:1].isupper() and word[1:].islower() else "mixed"


def shape_number(piece: Piece) -> int:
    """Shape, whether glued, whether it opens a line, in one number."""
    return piece.shape * 4 + piece.glued * 2 + piece.opens


def has_words(found: Sequence[Piece]) -> bool:
    """Whether there is anything but figures and signs, which name nothing by themselves."""
    return any(piece.shape not in _NO_WORDS for piece in found)


def windows(found: Sequence[Piece], text: str) -> Iterator[tuple[int, int]]:
    """Stretches of pieces that end with a sentence or a line where one ends, and never inside a word."""
    first = 0
    while first < len(found):
        last = min(first + MOST, len(found))
        if last < len(found):
            last = _end(found, text, first, last)
        yield first, last
        first = last


def _end(found: Sequence[Piece], text: str, first: int, last: int) -> int:
    whole = last
    for at in range(last, first + _ENOUGH, -1):
        if not found[at].first:
            continue
        whole = whole if found[whole].first else at
        if _BREAK.search(text[found[at - 1].start : found[at].start]):
            return at
    return whole
