"""Work orders of MaintIE with annotated equipment, parts, faults and actions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from eval.ner_sets import Labelled

_KINDS = {"State": "fault", "Process": "fault", "Property": "fault", "Activity": "action"}


def read_orders(path: Path) -> list[Labelled]:
    """Return the texts with their outermost entities.

    An object is a part if it belongs to another, or if its last word names a part more often than a whole.
    """
    orders = json.loads(path.read_text(encoding="utf-8"))
    parts, wholes = _count_parts_and_wholes(orders)
    return [_label(order, parts, wholes) for order in orders]


def _count_parts_and_wholes(orders: list[dict[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Count how often each last word names a part, and how often a whole."""
    parts: Counter[str] = Counter()
    wholes: Counter[str] = Counter()
    for order in orders:
        for relation in order["relations"]:
            if relation["type"] == "hasPart":
                parts[_last_word(order, relation["tail"])] += 1
                wholes[_last_word(order, relation["head"])] += 1
    return parts, wholes


def _last_word(order: dict[str, Any], number: int) -> str:
    word: str = order["tokens"][order["entities"][number]["end"] - 1]
    return word.removesuffix("s")


def _label(order: dict[str, Any], parts: Counter[str], wholes: Counter[str]) -> Labelled:
    starts, at = [], 0
    for token in order["tokens"]:
        starts.append(at)
        at += len(token) + 1
    spans = [(each["start"], each["end"]) for each in order["entities"]]
    owned = {relation["tail"] for relation in order["relations"] if relation["type"] == "hasPart"}
    truth = set()
    for number, each in enumerate(order["entities"]):
        if any(
            first <= each["start"] and each["end"] <= last and (first, last) != spans[number] for first, last in spans
        ):
            continue
        word = _last_word(order, number)
        object_kind = "part" if number in owned or parts[word] > wholes[word] else "equipment"
        kind = _KINDS.get(each["type"].split("/")[0], object_kind)
        truth.add((kind, starts[each["start"]], starts[each["end"] - 1] + len(order["tokens"][each["end"] - 1])))
    return Labelled(" ".join(order["tokens"]), frozenset(truth))
