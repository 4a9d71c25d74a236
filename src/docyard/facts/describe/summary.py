"""Extractive summaries: the most relevant sentences of a document, in their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from docyard.facts.describe.stop_words import STOP_WORDS
from docyard.model.text.pages import Page
from docyard.model.text.units import split_units

_MAX_CHARS = 24_000
_MAX_SENTENCE_CHARS, _MAX_SUMMARY_CHARS = 320, 450
_MIN_WORDS, _MAX_WORDS = 7, 60
_MAX_SENTENCES = 3
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
# Punctuation ends a sentence if it does not follow a single capital or an abbreviation, and if a capital, a
# quotation mark or a bracket follows.
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bNo)(?<!\bvs)(?<!\bal)(?<!\bCo)(?<!\bNr)(?<!\bMrs)(?<!\bNos)(?<!\bInc)"
    r"(?<!\bLtd)(?<!\bbzw)(?<!\bArt)(?<!\bAbs)(?<!\bvgl)(?<!\bv)[.!?][\"”’)]?\s+(?=[A-ZÄÖÜÉ\"“(])"
)
_WHITESPACE = re.compile(r"\s+")


def summarise(pages: Sequence[Page], title: str | None = None) -> str | None:
    """Return up to three sentences, or None if the text has no full sentences, as in lists and forms."""
    sentences = list(_find_sentences(pages))
    if len(sentences) < 2:
        return sentences[0][:_MAX_SENTENCE_CHARS] if sentences else None
    weights = _weigh_words(sentences, title)
    ranked = sorted(
        range(len(sentences)), key=lambda index: -_score_sentence(sentences[index], index, len(sentences), weights)
    )
    chosen: list[int] = []
    remaining = _MAX_SUMMARY_CHARS
    for index in ranked:
        if len(sentences[index]) <= remaining and not _is_repetition(
            sentences[index], [sentences[each] for each in chosen]
        ):
            chosen.append(index)
            remaining -= len(sentences[index])
        if len(chosen) == _MAX_SENTENCES:
            break
    return " ".join(sentences[index] for index in sorted(chosen)) or None


def _find_sentences(pages: Sequence[Page]) -> Iterator[str]:
    """Yield the complete sentences of suitable length in the paragraphs."""
    remaining = _MAX_CHARS
    for page in pages:
        for unit in split_units(page):
            if remaining <= 0:
                return
            text = page.text[unit.start : min(unit.end, unit.start + remaining)]
            remaining -= len(text)
            if not unit.heading and not unit.rows:
                yield from filter(_is_sentence, _split_sentences(text))


def _split_sentences(text: str) -> Iterator[str]:
    joined = _WHITESPACE.sub(" ", re.sub(r"(?<=[a-zäöü])-\n(?=[a-zäöü])", "", text)).strip(" -*>#|")
    start = 0
    for end in _SENTENCE_END.finditer(joined):
        yield joined[start : end.end()].strip()
        start = end.end()
    yield joined[start:].strip()


def _is_sentence(text: str) -> bool:
    words = len(_WORD.findall(text))
    letters = sum(map(str.isalpha, text))
    ended = text.endswith((".", "!", "?", ".”", '."', ".’", ".)"))
    dense = letters > 0.6 * len(text) and "|" not in text and "__" not in text
    return ended and dense and _MIN_WORDS <= words <= _MAX_WORDS and len(text) <= _MAX_SENTENCE_CHARS


def _find_content_words(text: str) -> list[str]:
    return [word for word in map(str.casefold, _WORD.findall(text)) if word not in STOP_WORDS and len(word) > 2]


def _weigh_words(sentences: Sequence[str], title: str | None) -> dict[str, float]:
    """Return word weights: words in several sentences weigh more, and words of the title get a bonus."""
    counts = Counter(word for sentence in sentences for word in set(_find_content_words(sentence)))
    weights = {word: log(1 + count) for word, count in counts.items()}
    for word in _find_content_words(title or ""):
        weights[word] = weights.get(word, 0.0) + 1.0
    return weights


def _score_sentence(sentence: str, index: int, count: int, weights: dict[str, float]) -> float:
    words = set(_find_content_words(sentence))
    mean = sum(weights.get(word, 0.0) for word in words) / (len(words) + 4)
    return mean * (1.0 + 0.5 / (1 + index) + (0.15 if index < 0.2 * count else 0.0))


def _is_repetition(sentence: str, chosen: Sequence[str]) -> bool:
    words = set(_find_content_words(sentence))
    return any(len(words & set(_find_content_words(each))) > 0.6 * max(len(words), 1) for each in chosen)
