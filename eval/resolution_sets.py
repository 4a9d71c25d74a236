"""Sets of records of which it is known which are the same."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_DIGITS = re.compile(r"\D+")


@dataclass(frozen=True, slots=True)
class Record:
    """A name, what stands beside it, what it truly is, and its list where only lists are compared."""

    name: str
    truth: str
    beside: tuple[tuple[str, str], ...] = ()
    list: str | None = None

    def same(self, other: Record) -> bool:
        """Whether both are the same thing in truth."""
        return self.truth == other.truth

    def pairs_with(self, other: Record) -> bool:
        """Whether the two count as a pair: everybody with everybody, or across lists."""
        return self.list is None or self.list != other.list


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def _centres(path: Path) -> list[Record]:
    """Childcare centres of Chicago, as several lists wrote them."""
    found = []
    for row in _rows(path):
        name = " ".join(row["Site name"].split())
        if name:
            found.append(Record(name, row["True Id"], _beside(row["Phone"], row["Address"])))
    return found


def _applicants(path: Path) -> list[Record]:
    """Applicants for patents, by nothing but their names."""
    return [
        Record(row["person_name"].strip(), row["leuven_id"])
        for row in _rows(path)
        if row["person_name"].strip()
    ]


def _restaurants(path: Path) -> list[Record]:
    """Restaurants in two guides."""
    same = {row["zagats_id"]: row["fodors_id"] for row in _rows(path)}
    found = []
    for guide in ("fodors", "zagats"):
        for row in _rows(path.with_name(f"{guide}.csv")):
            number = row["id"] if guide == "fodors" else same.get(row["id"], f"zagats {row['id']}")
            found.append(Record(row["name"], number, _beside(row["phone"], row["addr"]), guide))
    return found


def _beside(phone: str, address: str) -> tuple[tuple[str, str], ...]:
    digits, place = _DIGITS.sub("", phone), " ".join(address.split())
    return tuple(each for each in (("phone", digits), ("place", place)) if each[1])


SETS: dict[str, Callable[[Path], list[Record]]] = {
    "csv_example_input_with_true_ids.csv": _centres,
    "patstat_reference.csv": _applicants,
    "matches_fodors_zagats.csv": _restaurants,
}
