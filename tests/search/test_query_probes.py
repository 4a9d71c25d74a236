"""Query probes: all passages for rare words, a bounded number for common ones."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from docyard.search.query_probes import MAX_PROBE_DEPTH, Form, inverse_frequency, plan_probes, quote_lexeme

HERE = UUID("01234567-0000-0000-0000-000000000000")


def form(word: int, lexeme: str, chunks: int, chunks_3: int = 0, chunks_9: int = 0, config: str = "simple") -> Form:
    return Form(word, config, lexeme, False, chunks, chunks_3, chunks_9)


def test_rare_words_are_looked_up_alone() -> None:
    (both, rare) = plan_probes(HERE, [form(1, "walrus", 3), form(2, "oyster", 5)], 1_000_000)
    assert both.query == "('012345671walrus') & ('012345671oyster')"
    assert rare.query == "('012345671walrus') | ('012345671oyster')"
    assert rare.depth >= 8


def test_a_common_word_is_not_looked_up_alone_if_there_is_a_rare_one() -> None:
    found = plan_probes(HERE, [form(1, "walrus", 500), form(2, "the", 900_000)], 1_000_000)
    assert [probe.query for probe in found] == ["('012345671walrus') & ('012345671the')", "('012345671walrus')"]


def test_a_single_common_word_is_looked_up_where_it_occurs_often() -> None:
    for chunks_3, chunks_9, tier in ((500_000, 1000, 9), (5000, 10, 3), (5, 1, 1)):
        (probe,) = plan_probes(HERE, [form(1, "the", 900_000, chunks_3, chunks_9)], 1_000_000)
        assert probe.query == f"('01234567{tier}the')"


def test_common_words_are_looked_up_in_pairs() -> None:
    found = plan_probes(HERE, [form(n, word, 9000) for n, word in enumerate("abc")], 1_000_000)
    assert "('012345671a') & ('012345671b')" in [probe.query for probe in found]
    assert len(found) == 1 + 3 + 1


def test_very_common_words_are_looked_up_only_together() -> None:
    (both,) = plan_probes(HERE, [form(1, "the", 900_000), form(2, "of", 800_000)], 1_000_000)
    assert both.query == "('012345671of') & ('012345671the')"
    assert len(plan_probes(HERE, [form(1, "the", 9000), form(2, "of", 8000)], 1_000_000)) == 2


def test_a_compound_is_looked_up_by_its_rarest_known_part() -> None:
    parts = [form(1, "non-disclosur", 0), form(1, "non", 9000), form(1, "disclosur", 4)]
    assert [probe.query for probe in plan_probes(HERE, parts, 1_000_000)] == ["('012345671disclosur')"]


@given(st.lists(st.tuples(st.integers(1, 40), st.text(min_size=1, max_size=5), st.integers(0, 10**6)), max_size=60))
def test_number_and_depth_of_probes_are_bounded(given_forms: list[tuple[int, str, int]]) -> None:
    found = plan_probes(HERE, [form(word, lexeme, chunks) for word, lexeme, chunks in given_forms], 10**6)
    assert len(found) <= 6
    assert sum(probe.depth for probe in found) <= MAX_PROBE_DEPTH + 1000 + 1000 + 3 * 500
    assert bool(found) == bool(given_forms)


def test_weight_of_a_word_falls_with_its_frequency() -> None:
    weights = [inverse_frequency(chunks, 1000) for chunks in (0, 1, 10, 500, 1000)]
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] > 0
    assert inverse_frequency(7, 0) > 0, "before any passages are counted"


def test_special_characters_in_a_word_are_quoted() -> None:
    assert quote_lexeme("o'neill\\") == "'o''neill\\\\'"
