"""Symmetric similarity of two keys, from 0 to 1."""

from __future__ import annotations

_INITIALS = 0.9  # "j smith" and "john smith"
_ACRONYM = 0.9  # "ibm" and "international business machines"
_MIN_ACRONYM_CHARS = 3
_MIN_TYPO_CHARS = 5
_MIN_TYPO_RATIO = 0.85


def measure_similarity(kind: str, one: str, other: str) -> float:
    """Return the share of characters that two names have in common, adjusted for people and acronyms."""
    if one == other:
        return 1.0
    first, second = one.split(), other.split()
    # Reordered words are slightly weaker evidence than words in the same order.
    reordered = 0.98 * lcs_ratio(" ".join(sorted(first)), " ".join(sorted(second)))
    best = max(lcs_ratio(one, other), reordered)
    if kind == "person":
        return _compare_people(first, second, best)
    if kind in ("organisation", "court") and _is_acronym(first, second):
        return max(best, _ACRONYM)
    return best


def contains_name(kind: str, one: str, other: str) -> bool:
    """Return whether one name of an organisation or court has all words of the other, allowing one typo."""
    if kind not in ("organisation", "court"):
        return False
    short, long = sorted((one.split(), other.split()), key=len)
    missing = [word for word in short if word not in long]
    return not missing or (
        len(missing) == 1
        and len(missing[0]) >= _MIN_TYPO_CHARS
        and any(lcs_ratio(missing[0], word) >= _MIN_TYPO_RATIO for word in long)
    )


def lcs_ratio(one: str, other: str) -> float:
    """Return twice the length of the longest common subsequence, divided by the total length."""
    if one == other:
        return 1.0
    shorter, longer = sorted((one, other), key=len)
    total = len(one) + len(other)
    return 2 * _measure_common(shorter, longer) / total if total else 1.0


def _measure_common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, by a bit-parallel algorithm (Hyyrö 2004)."""
    positions: dict[str, int] = {}
    for index, character in enumerate(one):
        positions[character] = positions.get(character, 0) | 1 << index
    ones = (1 << len(one)) - 1
    unmatched = ones
    for character in other:
        matched = unmatched & positions.get(character, 0)
        unmatched = ((unmatched + matched) | (unmatched - matched)) & ones
    return len(one) - unmatched.bit_count()


def _compare_people(first: list[str], second: list[str], best: float) -> float:
    """Return `best`, capped at 0.7 unless last names are alike and first names are alike or initials.

    Names that differ only in initials have at least the similarity `_INITIALS`.
    """
    if not first or not second or lcs_ratio(first[-1], second[-1]) < 0.8:
        return min(best, 0.7)
    rest = [pair for pair in zip(first[:-1], second[:-1], strict=False) if pair[0] != pair[1]]
    if all(_abbreviates(*pair) for pair in rest):
        # Only initials differ. A name without first names is compared by its characters alone.
        return max(best, _INITIALS) if first[-1] == second[-1] and first[:-1] and second[:-1] else best
    return best if all(lcs_ratio(*pair) >= 0.8 for pair in rest) else min(best, 0.7)


def _abbreviates(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) == 1 and longer.startswith(shorter)


def _is_acronym(first: list[str], second: list[str]) -> bool:
    short, long = sorted((first, second), key=len)
    initials = "".join(word[0] for word in long)
    content_initials = "".join(word[0] for word in long if word not in ("of", "and", "the", "for"))
    return len(short) == 1 and len(short[0]) >= _MIN_ACRONYM_CHARS and short[0] in (initials, content_initials)
