"""Names to put in place of those in a text: those of other texts, and made ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from faker import Faker

from eval.ner_sets import Labelled

_LOCALES = ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "tr_TR", "sv_SE")
_EACH = 150


def made_names(learnt: Sequence[Labelled], chance: random.Random) -> dict[str, list[str]]:
    """Names by kind, half of them from the texts that are learnt from."""
    found: dict[str, list[str]] = {"person": [], "organisation": [], "place": []}
    for document in learnt:
        for kind, start, end in sorted(document.truth):
            name = document.text[start:end]
            if kind in found and len(name) > 3 and not name.islower():
                found[kind].append(name)
    found["person"] = [name for name in found["person"] if name.title() not in ("Borrower", "Lender")]
    made = _made(chance)
    return {
        kind: made[kind] + [chance.choice(names) for _ in range(len(made[kind]))]
        for kind, names in found.items()
    }


def _made(chance: random.Random) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {"person": [], "organisation": [], "place": []}
    for locale in _LOCALES:
        faker = Faker(locale)
        faker.seed_instance(chance.randrange(10**6))
        for _ in range(_EACH):
            first, last = faker.first_name(), faker.last_name()
            made["person"].append(
                chance.choice((f"{first} {last}", f"{first} {last}", last, f"{first[0]}. {last}"))
            )
            made["organisation"].append(faker.company())
            made["place"].append(chance.choice((faker.city(), faker.city(), faker.country())))
    return made
