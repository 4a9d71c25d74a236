"""How far a text agrees with the true one: by words, by letters, and by headings and tables."""

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
_TYPEWRITER = str.maketrans("‘’‚“”„—–−", "'''\"\"\"---")
_WHOLE = 0.75  # of the truth's letters on each page: then each page holds all of it
_MARKUP = re.compile(r"<!--.*?-->|</?\w[^>]*>|&\w+;|[#*_|`>]|-{3,}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """Which share of the true words was found, and which share of the found words is true."""

    recall: float
    precision: float

    @property
    def both(self) -> float:
        """Their harmonic mean."""
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0


def words(found: str, true: str) -> Words:
    """The agreement of two texts as bags of words, without regard to case and markup."""
    ours, theirs = (Counter(_WORD.findall(_MARKUP.sub(" ", text).casefold())) for text in (found, true))
    common = (ours & theirs).total()
    return Words(common / max(theirs.total(), 1), common / max(ours.total(), 1))


def letter_errors(found: str, true: str) -> float:
    """The share of letters that must be changed, added or taken away, without regard to case and space."""
    ours, theirs = ("".join(text.casefold().split()) for text in (found, true))
    return distance(ours, theirs) / max(len(theirs), 1)


def typewritten(text: str) -> str:
    """The text with every quote, dash and joined letter as a typewriter has it: truths differ in them."""
    return unicodedata.normalize("NFKC", text).translate(_TYPEWRITER)


def errors_by_page(texts: Sequence[str], true: str) -> list[float]:
    """Letter errors of each page if each holds the whole truth, as copies do; else of all together."""
    if each_is_whole(texts, true):
        return [letter_errors(text, true) for text in texts]
    return [letter_errors("\n".join(texts), true)]


def each_is_whole(texts: Sequence[str], true: str) -> bool:
    """Whether a file of several pages has a truth of one."""
    lengths = ["".join(text.split()) for text in texts]
    return len(texts) > 1 and median(map(len, lengths)) >= _WHOLE * len("".join(true.split()))


def distance(one: str, other: str) -> int:
    """The edit distance, by Myers' method: a column of the table is one large number."""
    if not one or not other:
        return max(len(one), len(other))
    mask = (1 << len(one)) - 1
    at: dict[str, int] = {}
    for place, letter in enumerate(one):
        at[letter] = at.get(letter, 0) | 1 << place
    plus, minus, score = mask, 0, len(one)
    last = 1 << (len(one) - 1)
    for letter in other:
        equal = at.get(letter, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        more = minus | ~(horizontal | plus)
        less = plus & horizontal
        score += bool(more & last) - bool(less & last)
        more, less = (more << 1 | 1), less << 1
        plus = (less | ~(vertical | more)) & mask
        minus = more & vertical & mask
    return score


def headings(found: str, true: str) -> tuple[int, int, int]:
    """How many headings both have in the same words, how many were found, how many there are."""
    ours, theirs = (Counter(_plain(line) for line in _HEADING.findall(text)) for text in (found, true))
    return (ours & theirs).total(), ours.total(), theirs.total()


def _plain(line: str) -> str:
    return " ".join(_WORD.findall(_MARKUP.sub(" ", line).casefold()))


def tables(markdown: str) -> int:
    """How many tables it has, by the line under their heads."""
    return len(_TABLE.findall(markdown))
