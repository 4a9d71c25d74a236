"""Further occurrences of names that were found once with high confidence."""

from __future__ import annotations

from docyard.facts.entities.repeats import find_repeats
from docyard.facts.entities.spans import NamedSpan


def find_again(text: str, kind: str, name: str) -> list[tuple[int, str]]:
    start = text.index(name)
    found = [NamedSpan(kind, start, start + len(name), name, 0.95, "model")]
    return [(each.start, each.normal) for each in find_repeats(text, found) if each.start > start]


def test_a_last_name_refers_to_the_person_named_in_full() -> None:
    text = "Angela Merkel spoke, and when Merkel left, it rained."
    assert find_again(text, "person", "Angela Merkel") == [(text.rindex("Merkel"), "Angela Merkel")]


def test_skips_a_name_next_to_a_capitalised_word() -> None:
    assert find_again("Fred Stanley gave it. The Stanley Cup was won.", "person", "Fred Stanley") == []


def test_skips_a_word_that_also_occurs_in_lower_case() -> None:
    assert find_again("Borrower pays. Any borrower may. Then Borrower leaves.", "person", "Borrower") == []


def test_does_not_repeat_a_name_with_low_confidence() -> None:
    found = [NamedSpan("person", 0, 6, "Merkel", 0.5, "model")]
    assert list(find_repeats("Merkel came, and merrily went Merkel.", found)) == []
