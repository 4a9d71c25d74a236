"""Names of entity kinds and document types, and the fields of each type.

Web modules import only this module of the package: the others read documents, which only confined child
processes may do.
"""

from __future__ import annotations

from docyard.facts.classify.types import describe_types
from docyard.model.facts import MENTION_KINDS

__all__ = ["AMOUNT_FIELDS", "ENTITY_KINDS", "FIELD_NAMES", "describe_types", "list_field_names"]

# Dates and amounts are values, not entities that documents can share.
ENTITY_KINDS = tuple(kind for kind in MENTION_KINDS if kind not in ("date", "money"))

# Fields that are amounts of money.
AMOUNT_FIELDS = frozenset(("net", "tax", "total", "payable"))

# In display order.
_INVOICE_FIELDS = (
    *("number", "date", "due_date", "seller", "seller_vat", "buyer"),
    *("net", "tax", "total", "payable", "currency", "iban"),
)
_COURT_FIELDS = ("court", "docket", "party", "judge", "date", "citation")
_FIELDS_BY_TYPE = {
    "invoice": _INVOICE_FIELDS,
    "receipt": _INVOICE_FIELDS,
    "purchase_order": _INVOICE_FIELDS,
    "court_opinion": _COURT_FIELDS,
    "filing": _COURT_FIELDS,
    "court_list": _COURT_FIELDS,
    "contract": ("party", "agreement_date", "effective_date", "expiration_date", "term", "governing_law", "clause"),
    "email": ("from", "to", "cc", "bcc", "date", "subject"),
    "work_order": (
        "number",
        "equipment",
        "fault",
        "action",
        "date",
        "location",
        "technician",
        "priority",
    ),
}
FIELD_NAMES = tuple(sorted({name for names in _FIELDS_BY_TYPE.values() for name in names}))


def list_field_names(kind: str | None) -> tuple[str, ...]:
    """Return the names of the fields of a document type; all field names if the type defines none."""
    return _FIELDS_BY_TYPE.get(kind or "", FIELD_NAMES)
