"""A summary in the document's own sentences: the most telling ones, in their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from docyard.facts.describe.stop_words import STOP_WORDS
from docyard.model.text.pages import Page
from docyard.model.text.units import units_of

_LOOKED_AT = 24_000
_LONGEST, _ROOM = 320, 450
_FEWEST_WORDS, _MOST_WORDS = 7, 60
_SENTENCES = 3
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
# A stop that ends a sentence: not after one capital, a title or a number, and before a capital.
_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bvs)(?<!\bal)(?<!\bCo)(?<!\bNr)(?<!\bMrs)(?<!\bNos)(?<!\bInc)"
    r"(?<!\bLtd)(?<!\bbzw)(?<!\bArt)(?<!\bAbs)(?<!\bvgl)(?<!\bv)[.!?][\"”’)]?\s+(?=[A-ZÄÖÜÉ\"“(])"
)
_SPACE = re.compile(r"\s+")


def summary_of(pages: Sequence[Page], title: str | None = None) -> str | None:
    """Up to three sentences, or None where the text has none, as lists, forms and receipts."""
    sentences = list(_sentences(pages))
    if len(sentences) < 2:
        return sentences[0][:_LONGEST] if sentences else None
    weights = _weights(sentences, title)
    ranked = sorted(range(len(sentences)), key=lambda at: -_score(sentences[at], at, len(sentences), weights))
    chosen: list[int] = []
    room = _ROOM
    for at in ranked:
        if len(sentences[at]) <= room and not _repeats(sentences[at], [sentences[each] for each in chosen]):
            chosen.append(at)
            room -= len(sentences[at])
        if len(chosen) == _SENTENCES:
            break
    return " ".join(sentences[at] for at in sorted(chosen)) or None


def _sentences(pages: Sequence[Page]) -> Iterator[str]:
    """Sentences of the paragraphs, whole ones of a sensible length."""
    room = _LOOKED_AT
    for page in pages:
        for unit in units_of(page):
            if room <= 0:
                return
            text = page.text[unit.start : min(unit.end, unit.start + room)]
            room -= len(text)
            if not unit.heading and not unit.rows:
                yield from filter(_is_sentence, _split(text))


def _split(text: str) -> Iterator[str]:
    flowing = _SPACE.sub(" ", re.sub(r"(?<=[a-zäöü])-\n(?=[a-zäöü])", "", text)).strip(" -*>#|")
    start = 0
    for end in _END.finditer(flowing):
        yield flowing[start : end.end()].strip()
        start = end.end()
    yield flowing[start:].strip()


def _is_sentence(text: str) -> bool:
    words = len(_WORD.findall(text))
    letters = sum(map(str.isalpha, text))
    ended = text.endswith((".", "!", "?", ".”", '."', ".’", ".)"))
    dense = letters > 0.6 * len(text) and "|" not in text and "__" not in text
    return ended and dense and _FEWEST_WORDS <= words <= _MOST_WORDS and len(text) <= _LONGEST


def _content(text: str) -> list[str]:
    return [
        word for word in map(str.casefold, _WORD.findall(text)) if word not in STOP_WORDS and len(word) > 2
    ]


def _weights(sentences: Sequence[str], title: str | None) -> dict[str, float]:
    """Words that several sentences share say what the text is about; those of the title most."""
    counts = Counter(word for sentence in sentences for word in set(_content(sentence)))
    weights = {word: log(1 + count) for word, count in counts.items()}
    for word in _content(title or ""):
        weights[word] = weights.get(word, 0.0) + 1.0
    return weights


def _score(sentence: str, at: int, count: int, weights: dict[str, float]) -> float:
    words = set(_content(sentence))
    mean = sum(weights.get(word, 0.0) for word in words) / (len(words) + 4)
    return mean * (1.0 + 0.5 / (1 + at) + (0.15 if at < 0.2 * count else 0.0))


def _repeats(sentence: str, chosen: Sequence[str]) -> bool:
    words = set(_content(sentence))
    return any(len(words & set(_content(each))) > 0.6 * max(len(words), 1) for each in chosen)
