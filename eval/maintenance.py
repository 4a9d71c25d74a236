"""Equipment, parts, faults and actions found in work orders, with a list of training phrases as baseline."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from docyard.facts.entities.recognition import find_mentions
from docyard.facts.notation.conventions import Conventions
from eval.maintenance_set import read_orders
from eval.ner import FOLDS, HELD_OUT, select_held_out
from eval.ner_sets import Labelled
from eval.spans import Spans, agreement
from eval.tables import table

_KINDS = ("thing", "equipment", "part", "fault", "action")
_MAX_WORDS = 5  # of a listed phrase


def orders_table(path: Path) -> str:
    """Return a table with a row for each kind and reader; a thing is equipment or a part."""
    every = read_orders(path)
    texts = select_held_out(every)
    training = [each for number, each in enumerate(every) if number % FOLDS != HELD_OUT]
    kinds = _list_phrases(training)
    readers = {
        "Docyard": [_add_things(_find_by_docyard(each.text)) for each in texts],
        "list of training phrases": [_add_things(_find_by_list(each.text, kinds)) for each in texts],
    }
    truths = [_add_things(each.truth) for each in texts]
    rows = []
    for kind in _KINDS:
        for reader, found in readers.items():
            result = agreement(kind, found, truths)
            rows.append((kind, result.truths, reader, result.precision, result.recall, result.f1))
    heads = ("kind", "true mentions", "reader", "precision [95 %]", "recall [95 %]", "F1 [95 %]")
    return f"{len(texts)} texts that were held out from training.\n\n" + table(heads, rows)


def _find_by_docyard(text: str) -> Spans:
    found = find_mentions(text, Conventions("en"), use_tagger=True)
    return frozenset((each.kind, each.start, each.end) for each in found)


def _add_things(spans: Spans) -> Spans:
    things = {("thing", start, end) for kind, start, end in spans if kind in ("equipment", "part")}
    return spans | things


def _list_phrases(training: Sequence[Labelled]) -> dict[str, str]:
    """Return each phrase with its most frequent kind."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for text in training:
        for kind, start, end in text.truth:
            counts[text.text[start:end]][kind] += 1
    return {phrase: kinds.most_common(1)[0][0] for phrase, kinds in counts.items()}


def _find_by_list(text: str, kinds: dict[str, str]) -> Spans:
    """Return the longest listed phrases, from left to right."""
    words, found, index = text.split(" "), set(), 0
    starts = [sum(len(word) + 1 for word in words[:number]) for number in range(len(words))]
    while index < len(words):
        for length in range(min(_MAX_WORDS, len(words) - index), 0, -1):
            phrase = " ".join(words[index : index + length])
            if phrase in kinds:
                found.add((kinds[phrase], starts[index], starts[index] + len(phrase)))
                index += length - 1
                break
        index += 1
    return frozenset(found)
