"""Tests of the evaluation of entity resolution, which counts pairs of records."""

from __future__ import annotations

from eval.resolution import precision_at_recall
from eval.resolution_sets import Record


def test_returns_the_best_precision_of_all_thresholds_that_reach_the_recall() -> None:
    found = [(1.0, 4, 4), (0.9, 4, 4), (0.8, 12, 2), (0.7, 100, 0)]
    assert precision_at_recall(found, 10) == (1.0, 1.0)
    assert precision_at_recall(found, 11) == (10 / 20, 10 / 11)
    assert precision_at_recall(found[:1], 10) == (None, 0.4)


def test_records_of_two_lists_pair_only_across_lists() -> None:
    one, two = Record("A", "1", (), "x"), Record("B", "1", (), "y")
    assert one.pairs_with(two)
    assert not one.pairs_with(Record("C", "1", (), "x"))
    assert Record("A", "1").pairs_with(Record("B", "2"))
    assert one.same(two)
