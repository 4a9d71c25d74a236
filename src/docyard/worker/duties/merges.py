"""Entities that may be one are proposed to people: names alike, and something else that speaks for it."""

from __future__ import annotations

from docyard import clock
from docyard.db import Connection
from docyard.engines.canonical import likeness
from docyard.store.comparing import Pair, Signal, candidates, mark_compared, signals, uncompared
from docyard.store.merges import propose_merge
from docyard.worker.duties.duty import Chore, Duty

ALIKE = 0.88
_LONGEST_SECONDS = 3.0  # claiming waits for us; what is left is done the next time
_BATCH = 25
_WORDS = {
    "vat_number": "VAT number",
    "iban": "account",
    "email": "address",
    "phone": "phone number",
    "case_number": "case",
    "invoice_number": "invoice number",
    "person": "person",
    "organisation": "organisation",
    "part": "part",
    "place": "place",
}


def _propose(chore: Chore) -> str | None:
    until = clock.monotonic() + _LONGEST_SECONDS
    proposed = compared = 0
    while True:
        # Each batch by itself: one transaction over all of them would hold entities that documents wait for.
        with chore.pipeline.db.transaction() as conn:
            ids = uncompared(conn, _BATCH)
            proposed += compare(conn, candidates(conn, ids)) if ids else 0
            mark_compared(conn, ids)
        compared += len(ids)
        if len(ids) < _BATCH or clock.monotonic() > until:
            return f"{compared} entities compared, {proposed} merges proposed" if compared else None


def compare(conn: Connection, pairs: list[Pair]) -> int:
    """Propose those that are alike and share something; gives how many are new."""
    scores = {pair: likeness(pair.kind, pair.one_key, pair.other_key) for pair in pairs}
    alike = [pair for pair, score in scores.items() if score >= ALIKE]
    shared = signals(conn, alike) if alike else {}
    made = 0
    for pair in alike:
        signal = shared.get((pair.one, pair.other))
        if signal is not None:
            ends, reason = (pair.one, pair.other), in_words(scores[pair], signal)
            made += propose_merge(conn, pair.workspace_id, pair.kind, ends, reason, scores[pair])
    return made


def in_words(score: float, signal: Signal) -> str:
    """Why two entities may be one."""
    alike = "The names are the same" if score == 1 else f"The names are {score:.0%} alike"
    if signal.what == "document":
        return f"{alike}, and both stand in {signal.name}."
    if signal.what == "domain":
        return f"{alike}, and both are named beside addresses at {signal.name}."
    return f"{alike}, and both are named beside the {_WORDS.get(signal.what, signal.what)} {signal.name}."


DUTY = Duty("merges", 10.0, _propose)
