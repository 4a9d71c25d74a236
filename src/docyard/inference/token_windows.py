"""WordPiece tokens of a text with offsets and word shapes, and the windows in which a model reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MAX_TOKENS = 126  # tokens in a window; longer windows cost more without better results
_MIN_TOKENS = 60  # a window ends after a sentence or line only if it has more tokens than this

# Word shapes; the vocabulary is lower case and does not contain this information.
SHAPES = ("other", "lower", "title", "upper", "letter", "mixed", "digits", "coded")
_NON_WORDS = {SHAPES.index("other"), SHAPES.index("digits")}
_BREAK = re.compile(r"\n\s*\n|[.!?:;]\s*$|\n")


class Token(NamedTuple):
    """A WordPiece token: its id, its offsets in the text, and the shape and context of its word."""

    id: int  # id in the vocabulary
    start: int
    end: int
    starts_word: bool  # first token of its word
    shape: int  # index in SHAPES
    joined: bool  # no white space between its word and the previous one
    starts_line: bool  # its word is the first of a line


def load_tokenizer(folder: Path) -> Any:
    """Load the sentence model's tokenizer, without padding and truncation."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer

    tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def tokenize(tokenizer: Any, text: str) -> list[Token]:
    """Return all tokens of a text, in order, with offsets in the original text."""
    encoded = tokenizer.encode(text, add_special_tokens=False)
    words: dict[int, tuple[int, int]] = {}
    for word, (start, end) in zip(encoded.word_ids, encoded.offsets, strict=True):
        words[word] = (words[word][0], end) if word in words else (start, end)
    features = _word_features(text, words)
    seen: set[int] = set()
    found = []
    for token, word, (start, end) in zip(encoded.ids, encoded.word_ids, encoded.offsets, strict=True):
        found.append(Token(token, start, end, word not in seen, *features[word]))
        seen.add(word)
    return found


def _word_features(text: str, words: dict[int, tuple[int, int]]) -> dict[int, tuple[int, bool, bool]]:
    """Return the features of each word as in `Token`: `shape`, `joined` and `starts_line`."""
    features, previous_end = {}, None
    for word, (start, end) in words.items():
        gap = "\n" if previous_end is None else text[previous_end:start]
        features[word] = (SHAPES.index(_shape(text[start:end])), not gap, "\n" in gap)
        previous_end = end
    return features


def _shape(word: str) -> str:
    if not word[:1].isalnum():
        return "other"
    if any(character.isdigit() for character in word):
        return "digits" if word.isdigit() else "coded"
    if word.isupper():
        return "upper" if len(word) > 1 else "letter"
    if word.islower():
        return "lower"
    return "title" if word[:1].isupper() and word[1:].islower() else "mixed"


def encode_shape(piece: Token) -> int:
    """Return `shape`, `joined` and `starts_line` packed into one number."""
    return piece.shape * 4 + piece.joined * 2 + piece.starts_line


def has_words(found: Sequence[Token]) -> bool:
    """Return whether any token is part of a word; numbers and punctuation alone are never names."""
    return any(piece.shape not in _NON_WORDS for piece in found)


def split_windows(found: Sequence[Token], text: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of tokens that end after a sentence or line if possible, otherwise after a word."""
    first = 0
    while first < len(found):
        last = min(first + MAX_TOKENS, len(found))
        if last < len(found):
            last = _find_end(found, text, first, last)
        yield first, last
        first = last


def _find_end(found: Sequence[Token], text: str, first: int, last: int) -> int:
    word_end = last
    for index in range(last, first + _MIN_TOKENS, -1):
        if not found[index].starts_word:
            continue
        word_end = word_end if found[word_end].starts_word else index
        if _BREAK.search(text[found[index - 1].start : found[index].start]):
            return index
    return word_end
