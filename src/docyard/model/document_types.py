"""The types of documents that people tell apart, unless they say otherwise."""

from __future__ import annotations

DOCUMENT_TYPES = (
    *("contract", "court_opinion", "filing", "court_list", "invoice", "receipt", "purchase_order"),
    *("bank_statement", "letter", "email", "manual", "work_order", "form", "report", "article", "minutes"),
    *("resume", "presentation", "spreadsheet"),
)
