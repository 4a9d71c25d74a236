"""How alike two keys are, from 0 to 1, the same in both directions."""

from __future__ import annotations

_INITIALS = 0.9  # "j smith" and "john smith": nothing speaks against it
_ACRONYM = 0.9  # "ibm" and "international business machines"
_SHORTEST_ACRONYM = 3
_SHORTEST_SLIPPED = 5
_SLIPPED = 0.85


def likeness(kind: str, one: str, other: str) -> float:
    """The share of letters that two names have in common in the same order, words in any order."""
    if one == other:
        return 1.0
    first, second = one.split(), other.split()
    # Words in another order are a weaker likeness than the same words.
    turned = 0.98 * ratio(" ".join(sorted(first)), " ".join(sorted(second)))
    best = max(ratio(one, other), turned)
    if kind == "person":
        return _of_people(first, second, best)
    if kind in ("organisation", "court") and _is_acronym(first, second):
        return max(best, _ACRONYM)
    return best


def is_part(kind: str, one: str, other: str) -> bool:
    """Whether all words of one organisation's name stand in the other's, one of them perhaps with a slip."""
    if kind not in ("organisation", "court"):
        return False
    short, long = sorted((one.split(), other.split()), key=len)
    missing = [word for word in short if word not in long]
    return not missing or (
        len(missing) == 1
        and len(missing[0]) >= _SHORTEST_SLIPPED
        and any(ratio(missing[0], word) >= _SLIPPED for word in long)
    )


def ratio(one: str, other: str) -> float:
    """Twice the longest common subsequence by the length of both."""
    if one == other:
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    total = len(one) + len(other)
    return 2 * _common(shorter, longer) / total if total else 1.0


def _common(one: str, other: str) -> int:
    """The length of the longest common subsequence, a bit for each letter of the first (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for at, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << at
    ones = (1 << len(one)) - 1
    left = ones
    for letter in other:
        matched = left & places.get(letter, 0)
        left = ((left + matched) | (left - matched)) & ones
    return len(one) - left.bit_count()


def _of_people(first: list[str], second: list[str], best: float) -> float:
    """Last names must be the same or nearly so; first names may be initials, but not other names."""
    if not first or not second or ratio(first[-1], second[-1]) < 0.8:
        return min(best, 0.7)
    rest = [pair for pair in zip(first[:-1], second[:-1], strict=False) if pair[0] != pair[1]]
    if all(_abbreviates(*pair) for pair in rest):
        # What is nothing but an abbreviation is as likely as that; equal words are judged by their letters.
        return max(best, _INITIALS) if first[-1] == second[-1] and first[:-1] and second[:-1] else best
    return best if all(ratio(*pair) >= 0.8 for pair in rest) else min(best, 0.7)


def _abbreviates(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) == 1 and longer.startswith(shorter)


def _is_acronym(first: list[str], second: list[str]) -> bool:
    short, long = sorted((first, second), key=len)
    letters = "".join(word[0] for word in long)
    told = "".join(word[0] for word in long if word not in ("of", "and", "the", "for"))
    return len(short) == 1 and len(short[0]) >= _SHORTEST_ACRONYM and short[0] in (letters, told)
