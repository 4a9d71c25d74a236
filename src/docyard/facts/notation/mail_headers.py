"""Labels of mail headers in several languages, and the fields that they name."""

from __future__ import annotations

from docyard.facts.notation.lexicon import load_words, merge_languages, one_of

_FIELDS: dict[str, dict[str, list[str]]] = load_words("mail_headers")
_FIELD_OF_LABEL = {label.casefold(): field for field, table in _FIELDS.items() for label in merge_languages(table)}

HEADER_LABEL = one_of(label for table in _FIELDS.values() for label in merge_languages(table))
SUBJECT_LABEL = one_of(merge_languages(_FIELDS["subject"]))


def header_field(label: str) -> str:
    """Return the field that a label names, such as "from" for "Von"; empty if it names none."""
    return _FIELD_OF_LABEL.get(label.casefold(), "")
