"""Blocking keys: all spellings of a name share at least one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.resolution.blocking_keys import make_blocking_keys
from docyard.facts.resolution.keys import make_entity_key

WORDS = st.lists(st.text("abcdefghiklmnoprstuvwz", min_size=5, max_size=10), min_size=2, max_size=4, unique=True)


def find_shared(kind: str, one: str, other: str) -> set[str]:
    return set(make_blocking_keys(kind, make_entity_key(kind, one))) & set(
        make_blocking_keys(kind, make_entity_key(kind, other))
    )


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("organisation", "Port Authority Board", "PAB"),
        ("organisation", "Bank of America", "BOA"),
        ("organisation", "Bank of North America", "BNA"),
        ("organisation", "Nord Sea Works", "Nordsea Works Ltd"),
        ("organisation", "Krämer Marine GmbH", "Kraemer Marine"),
        ("organisation", "Meyer", "Maier"),
        ("organisation", "Acme Engineering", "Acme Eng."),
        ("person", "Tchaikovsky, Peter", "Peter Chaikovsky"),
        ("person", "John Michael Smith", "John Smith"),
        ("person", "John Smith", "J. Smith"),
        ("place", "München", "Muenchen"),
    ],
)
def test_spellings_of_one_name_share_a_key(kind: str, one: str, other: str) -> None:
    assert find_shared(kind, one, other)


@given(words=WORDS, data=st.data())
def test_a_typo_or_reordered_words_leave_a_shared_key(words: list[str], data: st.DataObject) -> None:
    name = " ".join(words)
    assert find_shared("organisation", name, " ".join(data.draw(st.permutations(words))))
    # The typo never replaces a space, because joining two words of similar letters can leave no shared key.
    index = data.draw(st.sampled_from([position for position, character in enumerate(name) if character != " "]))
    for misspelt in (
        name[:index] + "x" + name[index + 1 :],
        name[:index] + name[index + 1 :],
        name[:index] + "x" + name[index:],
    ):
        assert find_shared("organisation", name, misspelt), misspelt


@given(key=st.text("abc éß的 1-", min_size=1, max_size=300))
def test_a_name_has_few_distinct_keys(key: str) -> None:
    found = make_blocking_keys("organisation", make_entity_key("organisation", key) or "a")
    assert 0 < len(found) == len(set(found)) <= 30
