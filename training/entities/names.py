"""Replacement names for training: names from other texts, and synthetic ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from faker import Faker

from eval.ner_sets import Labelled

_LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "tr_TR", "sv_SE")
_PER_LOCALE = 150


def make_names(training: Sequence[Labelled], generator: random.Random) -> dict[str, list[str]]:
    """Return names by kind, half of them from the training texts."""
    found: dict[str, list[str]] = {"person": [], "organisation": [], "place": []}
    for document in training:
        for kind, start, end in sorted(document.truth):
            name = document.text[start:end]
            if kind in found and len(name) > 3 and not name.islower():
                found[kind].append(name)
    found["person"] = [name for name in found["person"] if name.title() not in ("Borrower", "Lender")]
    synthetic = _make_synthetic_names(generator)
    return {
        kind: synthetic[kind] + [generator.choice(names) for _ in range(len(synthetic[kind]))]
        for kind, names in found.items()
    }


def _make_synthetic_names(generator: random.Random) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {"person": [], "organisation": [], "place": []}
    for locale in _LOCALES:
        faker = Faker(locale)
        faker.seed_instance(generator.randrange(10**6))
        for _ in range(_PER_LOCALE):
            first, last = faker.first_name(), faker.last_name()
            names["person"].append(
                generator.choice((f"{first} {last}", f"{first} {last}", last, f"{first[0]}. {last}"))
            )
            names["organisation"].append(faker.company())
            names["place"].append(generator.choice((faker.city(), faker.city(), faker.country())))
    return names
