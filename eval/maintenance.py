"""Equipment, parts, faults and actions in work orders, beside a plain list of the words learnt from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from docyard.facts.entities.recognition import find_mentions
from docyard.facts.notation.conventions import Conventions
from eval.maintenance_set import read_orders
from eval.ner import FOLDS, HELD_OUT, held_out
from eval.ner_sets import Labelled
from eval.spans import Spans, agreement
from eval.tables import table

_KINDS = ("thing", "equipment", "part", "fault", "action")
_LONGEST = 5  # words of a listed phrase


def orders_table(path: Path) -> str:
    """One row for each kind and reader; a thing is equipment or a part."""
    every = read_orders(path)
    texts = held_out(every)
    learnt = [each for number, each in enumerate(every) if number % FOLDS != HELD_OUT]
    listed = _listed(learnt)
    readers = {
        "Docyard": [_with_things(_ours(each.text)) for each in texts],
        "list of known phrases": [_with_things(_looked_up(each.text, listed)) for each in texts],
    }
    truths = [_with_things(each.truth) for each in texts]
    rows = []
    for kind in _KINDS:
        for reader, found in readers.items():
            result = agreement(kind, found, truths)
            rows.append((kind, result.truths, reader, result.precision, result.recall, result.both))
    heads = ("kind", "true ones", "reader", "precision [95 %]", "recall [95 %]", "F1 [95 %]")
    return f"{len(texts)} texts that were not learnt from.\n\n" + table(heads, rows)


def _ours(text: str) -> Spans:
    found = find_mentions(text, Conventions("en"), use_tagger=True)
    return frozenset((each.kind, each.start, each.end) for each in found)


def _with_things(spans: Spans) -> Spans:
    things = {("thing", start, end) for kind, start, end in spans if kind in ("equipment", "part")}
    return spans | things


def _listed(learnt: Sequence[Labelled]) -> dict[str, str]:
    """Each phrase with the kind that it mostly was."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for text in learnt:
        for kind, start, end in text.truth:
            counted[text.text[start:end]][kind] += 1
    return {phrase: kinds.most_common(1)[0][0] for phrase, kinds in counted.items()}


def _looked_up(text: str, listed: dict[str, str]) -> Spans:
    """The longest listed phrase at each word."""
    words, found, at = text.split(" "), set(), 0
    starts = [sum(len(word) + 1 for word in words[:number]) for number in range(len(words))]
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + length])
            if phrase in listed:
                found.add((listed[phrase], starts[at], starts[at] + len(phrase)))
                at += length - 1
                break
        at += 1
    return frozenset(found)
