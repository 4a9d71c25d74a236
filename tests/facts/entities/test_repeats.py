"""What a text names once in a clear place, it means elsewhere too."""

from __future__ import annotations

from docyard.facts.entities.repeats import find_repeats
from docyard.facts.entities.spans import NamedSpan


def again(text: str, kind: str, name: str) -> list[tuple[int, str]]:
    start = text.index(name)
    found = [NamedSpan(kind, start, start + len(name), name, 0.95, "model")]
    return [(each.start, each.normal) for each in find_repeats(text, found) if each.start > start]


def test_a_last_name_alone_means_the_person_named_in_full_before() -> None:
    text = "Angela Merkel spoke, and when Merkel left, it rained."
    assert again(text, "person", "Angela Merkel") == [(text.rindex("Merkel"), "Angela Merkel")]


def test_a_name_beside_another_capital_may_be_part_of_a_longer_one() -> None:
    assert again("Fred Stanley gave it. The Stanley Cup was won.", "person", "Fred Stanley") == []


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    assert again("Borrower pays. Any borrower may. Then Borrower leaves.", "person", "Borrower") == []


def test_what_is_itself_unsure_is_not_repeated() -> None:
    found = [NamedSpan("person", 0, 6, "Merkel", 0.5, "model")]
    assert list(find_repeats("Merkel came, and merrily went Merkel.", found)) == []
