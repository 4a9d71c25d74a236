"""Words around the names of people: titles, degrees and particles."""

from __future__ import annotations

from docyard.facts.notation.letters import fold_letters
from docyard.facts.notation.lexicon import load_words, merge_languages, one_of

_DATA = load_words("person_names")
_TITLES = merge_languages(_DATA["titles"])
_DOTTED = merge_languages(_DATA["dotted_titles"])

# A title before a name in a text.
TITLE = rf"(?:{one_of([*_TITLES, *_DOTTED])})\.|{one_of(_TITLES)}"
PARTICLE = one_of(merge_languages(_DATA["particles"])).replace(r"\ ", r"\s")
# Titles and degrees as they occur in keys: in lower case and without accents.
TITLE_WORDS = frozenset(map(fold_letters, [*_TITLES, *_DOTTED, *merge_languages(_DATA["further_titles"])]))
DEGREE_WORDS = frozenset(map(fold_letters, merge_languages(_DATA["degrees"])))
