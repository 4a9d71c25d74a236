"""Pages for tests of fields: lines of text, or words at places."""

from __future__ import annotations

from docyard.model.facts import FieldValue
from docyard.model.text.pages import Page, Word, pack_words

_ACROSS, _DOWN = 6.0, 14.0


def page(text: str, number: int = 1) -> Page:
    """A page whose words stand where a typewriter would put them."""
    words = []
    at = 0
    for row, line in enumerate(text.split("\n")):
        for column, word in _words(line):
            place = (column * _ACROSS, row * _DOWN, (column + len(word)) * _ACROSS - 1, row * _DOWN + 10)
            words.append(Word(at + column, at + column + len(word), *place))
        at += len(line) + 1
    return Page(number, text, 600, 800, pack_words(words))


def _words(line: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    at = 0
    for word in line.split(" "):
        if word:
            found.append((at, word))
        at += len(word) + 1
    return found


def values(fields: tuple[FieldValue, ...]) -> dict[str, str]:
    """The normal forms of the first field of each name."""
    return {field.name: field.normal for field in reversed(fields)}


def all_of(fields: tuple[FieldValue, ...], name: str) -> list[str]:
    """The normal forms of all fields of that name."""
    return [field.normal for field in fields if field.name == name]
