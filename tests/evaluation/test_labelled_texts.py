"""Tests of reading labelled texts with the offsets of their mentions, and of comparing spans."""

from __future__ import annotations

import json
from pathlib import Path

from eval.maintenance_set import read_orders
from eval.ner_sets import GENERAL, read
from eval.spans import agreement

CONLL = """-DOCSTART- O

Mr. O
Smith I-PER
( O
of O
Acme B-ORG
Inc. I-ORG
Beta B-ORG
) O
left O
. O

-DOCSTART- O

He O
went O
to O
Paris I-LOC
. O
"""


def test_joins_words_with_normal_spacing_and_keeps_the_offsets_of_mentions(tmp_path: Path) -> None:
    path = tmp_path / "set.conll"
    path.write_text(CONLL)
    first, second = read(path, GENERAL)
    assert first.text == "Mr. Smith (of Acme Inc. Beta) left."
    assert {(kind, first.text[start:end]) for kind, start, end in first.truth} == {
        ("person", "Smith"),
        ("organisation", "Acme Inc."),
        ("organisation", "Beta"),
    }
    assert {second.text[start:end] for _, start, end in second.truth} == {"Paris"}


def test_only_equal_spans_of_the_same_kind_agree() -> None:
    truth = [frozenset({("person", 0, 5), ("person", 9, 12), ("place", 20, 25)})]
    found = [frozenset({("person", 0, 5), ("person", 9, 11), ("organisation", 20, 25)})]
    people = agreement("person", found, truth)
    assert (people.truths, people.found, people.f1.value) == (2, 2, 0.5)
    assert agreement("place", found, truth).f1.value == 0


def test_owned_objects_are_parts_and_nested_entities_are_skipped(tmp_path: Path) -> None:
    order = {
        "tokens": ["replace", "pump", "oil", "seal"],
        "entities": [
            {"start": 0, "end": 1, "type": "Activity/MaintenanceActivity/Replace"},
            {"start": 1, "end": 2, "type": "PhysicalObject/GeneratingObject"},
            {"start": 2, "end": 4, "type": "PhysicalObject/HoldingObject"},
            {"start": 3, "end": 4, "type": "PhysicalObject/HoldingObject"},
        ],
        "relations": [{"head": 1, "tail": 2, "type": "hasPart"}],
    }
    path = tmp_path / "orders.json"
    path.write_text(json.dumps([order]))
    (text,) = read_orders(path)
    assert {(kind, text.text[start:end]) for kind, start, end in text.truth} == {
        ("action", "replace"),
        ("equipment", "pump"),
        ("part", "oil seal"),
    }
