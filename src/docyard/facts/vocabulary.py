"""The vocabulary of facts: kinds of entities, fields of each type, and document types.

The web app imports nothing else of this package: what reads documents runs in confined children.
"""

from __future__ import annotations

from docyard.facts.classify.types import described_types
from docyard.model.facts import MENTION_KINDS

__all__ = ["AMOUNTS", "FIELD_NAMES", "THINGS", "described_types", "names_for"]

# Dates and amounts are values, not things that two documents could have in common.
THINGS = tuple(kind for kind in MENTION_KINDS if kind not in ("date", "money"))

# Fields that are sums of money.
AMOUNTS = frozenset(("net", "tax", "total", "payable"))

# In the order in which people ask for them.
_BILL = (
    *("number", "date", "due_date", "seller", "seller_vat", "buyer"),
    *("net", "tax", "total", "payable", "currency", "iban"),
)
_COURT = ("court", "docket", "party", "judge", "date", "citation")
_OF_TYPE = {
    "invoice": _BILL,
    "receipt": _BILL,
    "purchase_order": _BILL,
    "court_opinion": _COURT,
    "filing": _COURT,
    "court_list": _COURT,
    "contract": (
        *("party", "agreement_date", "effective_date", "expiration_date", "term", "governing_law", "clause"),
    ),
    "email": ("from", "to", "cc", "bcc", "date", "subject"),
    "work_order": (
        *("number", "equipment", "fault", "action", "date", "location", "technician", "priority"),
    ),
}
FIELD_NAMES = tuple(sorted({name for names in _OF_TYPE.values() for name in names}))


def names_for(kind: str | None) -> tuple[str, ...]:
    """The fields that a document of this type may have; all there are, where its type has none."""
    return _OF_TYPE.get(kind or "", FIELD_NAMES)
