"""Check the names of modules, and words that read like a literal translation.

The number of texts that contain a pattern must equal its limit: a higher number is an error, and a lower one
requires a lower limit, so that limits only fall.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.prose import CODE, ROOT, Text, collect

# Nouns that end in -ing. Other names that end in -ing are taken for verbs.
NOUNS = {"embedding", "ranking", "setting", "string"}
# Module names that are adverbs, participles or prepositions.
NOT_NOUNS = {"again", "ahead", "beside", "drawn", "given", "held", "lacking", "told", "typed"}
LIMITS = {
    r"told": 0,
    r"stands?": 0,
    r"so many": 0,
    r"any more": 0,
    r"whatever": 1,
    r"whoever": 0,
    r"beside": 0,
    r"nobody": 1,  # a Unix account
    r"somebody": 0,
    r"by itself": 0,
    r"com(?:es|e|ing) to": 0,
    r"in words": 0,
    r"speaks?": 0,
}


def main() -> None:
    texts = [text for text in collect() if text.path != Path(__file__).resolve()]
    errors = [*check_modules(list_modules()), *check_limits(texts)]
    if errors:
        sys.exit("\n".join(errors))
    print(f"Words: {len(texts)} texts are within the limits.")


def list_modules() -> list[Path]:
    return [path for folder in CODE for path in sorted((ROOT / folder).rglob("*.py"))]


def check_modules(paths: Iterable[Path]) -> Iterator[str]:
    """Yield modules that are not named by a noun."""
    for path in paths:
        name = path.stem.removeprefix("test_").removeprefix("_")
        last = name.rpartition("_")[2]
        if (last.endswith("ing") and last not in NOUNS) or last in NOT_NOUNS:
            yield f"{path.relative_to(ROOT)}: name the module by a noun"


def check_limits(texts: list[Text]) -> Iterator[str]:
    """Yield patterns that occur more or less often than their limit."""
    for words, limit in LIMITS.items():
        pattern = re.compile(rf"\b{words}\b", re.IGNORECASE)
        found = [text for text in texts if pattern.search(text.text)]
        if len(found) > limit:
            yield f"'{words}' occurs {len(found)} times (limit {limit}):"
            yield from (f"    {text}" for text in found[:10])
        elif len(found) < limit:
            yield f"'{words}' occurs {len(found)} times; lower its limit from {limit}"


if __name__ == "__main__":
    main()
