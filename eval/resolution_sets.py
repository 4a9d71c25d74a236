"""Sets of records with known entities."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_NON_DIGITS = re.compile(r"\D+")


@dataclass(frozen=True, slots=True)
class Record:
    """A name, its true entity, its contact details, and its list if only records of different lists pair."""

    name: str
    truth: str
    contacts: tuple[tuple[str, str], ...] = ()
    list: str | None = None

    def same(self, other: Record) -> bool:
        """Return whether both belong to the same entity."""
        return self.truth == other.truth

    def pairs_with(self, other: Record) -> bool:
        """Return whether the two records form a pair; records of the same list do not."""
        return self.list is None or self.list != other.list


def _read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def _read_centres(path: Path) -> list[Record]:
    """Read childcare centres of Chicago from several lists."""
    found = []
    for row in _read_rows(path):
        name = " ".join(row["Site name"].split())
        if name:
            found.append(Record(name, row["True Id"], _make_contacts(row["Phone"], row["Address"])))
    return found


def _read_applicants(path: Path) -> list[Record]:
    """Read patent applicants, which have only names."""
    return [
        Record(row["person_name"].strip(), row["leuven_id"]) for row in _read_rows(path) if row["person_name"].strip()
    ]


def _read_restaurants(path: Path) -> list[Record]:
    """Read the restaurants of two guides."""
    same = {row["zagats_id"]: row["fodors_id"] for row in _read_rows(path)}
    found = []
    for guide in ("fodors", "zagats"):
        for row in _read_rows(path.with_name(f"{guide}.csv")):
            number = row["id"] if guide == "fodors" else same.get(row["id"], f"zagats {row['id']}")
            found.append(Record(row["name"], number, _make_contacts(row["phone"], row["addr"]), guide))
    return found


def _make_contacts(phone: str, address: str) -> tuple[tuple[str, str], ...]:
    digits, place = _NON_DIGITS.sub("", phone), " ".join(address.split())
    return tuple(each for each in (("phone", digits), ("place", place)) if each[1])


SETS: dict[str, Callable[[Path], list[Record]]] = {
    "csv_example_input_with_true_ids.csv": _read_centres,
    "patstat_reference.csv": _read_applicants,
    "matches_fodors_zagats.csv": _read_restaurants,
}
