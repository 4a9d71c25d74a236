"""Blocks: however a name is written, it stands in one with its other ways of writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.facts.resolution.blocks import blocks
from docyard.facts.resolution.keys import entity_key

WORDS = st.lists(
    st.text("abcdefghiklmnoprstuvwz", min_size=5, max_size=10), min_size=2, max_size=4, unique=True
)


def shared(kind: str, one: str, other: str) -> set[str]:
    return set(blocks(kind, entity_key(kind, one))) & set(blocks(kind, entity_key(kind, other)))


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
def test_ways_of_writing_one_name_have_a_block_in_common(kind: str, one: str, other: str) -> None:
    assert shared(kind, one, other)


@given(words=WORDS, data=st.data())
def test_one_slip_or_another_order_of_words_leaves_a_block(words: list[str], data: st.DataObject) -> None:
    name = " ".join(words)
    assert shared("organisation", name, " ".join(data.draw(st.permutations(words))))
    # Within a word: a slip that joins two words of the same few letters may leave nothing.
    at = data.draw(st.sampled_from([place for place, letter in enumerate(name) if letter != " "]))
    for slipped in (
        name[:at] + "x" + name[at + 1 :],
        name[:at] + name[at + 1 :],
        name[:at] + "x" + name[at:],
    ):
        assert shared("organisation", name, slipped), slipped


@given(key=st.text("abc éß的 1-", min_size=1, max_size=300))
def test_a_name_stands_in_few_blocks_each_once(key: str) -> None:
    found = blocks("organisation", entity_key("organisation", key) or "a")
    assert 0 < len(found) == len(set(found)) <= 30
