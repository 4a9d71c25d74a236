"""Agreement of a text with the ground truth: words, characters, headings and tables."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\|[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|[ \t]*$", re.MULTILINE)
_ASCII = str.maketrans("‘’‚“”„—–−", "'''\"\"\"---")
_MIN_LENGTH = 0.75  # minimum share of the true text's length for pages that are copies of the whole text
_MARKUP = re.compile(r"<!--.*?-->|</?\w[^>]*>|&\w+;|[#*_|`>]|-{3,}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """Recall and precision of the words found."""

    recall: float
    precision: float

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0


def compare_words(found: str, true: str) -> Words:
    """Compare two texts as bags of words, ignoring case and markup."""
    ours, theirs = (Counter(_WORD.findall(_MARKUP.sub(" ", text).casefold())) for text in (found, true))
    common = (ours & theirs).total()
    return Words(common / max(theirs.total(), 1), common / max(ours.total(), 1))


def character_error_rate(found: str, true: str) -> float:
    """Return the edit distance divided by the length of the true text, ignoring case and white space."""
    ours, theirs = ("".join(text.casefold().split()) for text in (found, true))
    return edit_distance(ours, theirs) / max(len(theirs), 1)


def normalise_typography(text: str) -> str:
    """Replace typographic quotes, dashes and ligatures, which differ between ground truths, by ASCII."""
    return unicodedata.normalize("NFKC", text).translate(_ASCII)


def page_error_rates(texts: Sequence[str], true: str) -> list[float]:
    """Return the error rate of each page if all are copies of the true text, else one rate for all pages."""
    if pages_are_copies(texts, true):
        return [character_error_rate(text, true) for text in texts]
    return [character_error_rate("\n".join(texts), true)]


def pages_are_copies(texts: Sequence[str], true: str) -> bool:
    """Return whether each of several pages contains the whole true text, judging by their median length."""
    lengths = [len("".join(text.split())) for text in texts]
    return len(texts) > 1 and median(lengths) >= _MIN_LENGTH * len("".join(true.split()))


def edit_distance(one: str, other: str) -> int:
    """Return the Levenshtein distance by Myers' bit-parallel algorithm, with one integer per column."""
    if not one or not other:
        return max(len(one), len(other))
    mask = (1 << len(one)) - 1
    positions: dict[str, int] = {}
    for index, character in enumerate(one):
        positions[character] = positions.get(character, 0) | 1 << index
    plus, minus, score = mask, 0, len(one)
    last = 1 << (len(one) - 1)
    for character in other:
        equal = positions.get(character, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        more = minus | ~(horizontal | plus)
        less = plus & horizontal
        score += bool(more & last) - bool(less & last)
        more, less = (more << 1 | 1), less << 1
        plus = (less | ~(vertical | more)) & mask
        minus = more & vertical & mask
    return score


def compare_headings(found: str, true: str) -> tuple[int, int, int]:
    """Return the number of common headings, of found headings, and of true headings."""
    ours, theirs = (Counter(_normalise_line(line) for line in _HEADING.findall(text)) for text in (found, true))
    return (ours & theirs).total(), ours.total(), theirs.total()


def _normalise_line(line: str) -> str:
    return " ".join(_WORD.findall(_MARKUP.sub(" ", line).casefold()))


def count_tables(markdown: str) -> int:
    """Return the number of Markdown tables, counted by the line below the header."""
    return len(_TABLE.findall(markdown))
