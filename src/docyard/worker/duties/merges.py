"""Entities that may be one are proposed to people: names alike, and something else that speaks for it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from uuid import UUID

from docyard import clock
from docyard.db import Connection
from docyard.facts.resolution.blocks import blocks
from docyard.facts.resolution.similarity import is_part, likeness
from docyard.store.graph.candidates import (
    OWN,
    Block,
    Named,
    Pair,
    Signal,
    candidates,
    keep_blocks,
    mark_compared,
    signals,
    uncompared,
)
from docyard.store.graph.merges import Proposal, propose_merges
from docyard.worker.duties.duty import Chore, Duty

ALIKE = 0.88
# Where nothing but a rare name speaks for it; people share names more often than organisations do.
_SURE = {"person": 0.95}
_SURE_OTHERWISE = 0.92
_PART = 0.9  # "Gads Hill Center" and "Gads Hill Center Cullerton" with one phone number
_LONGEST_SECONDS = 3.0  # claiming waits for us; what is left is done the next time
BATCH = 50
_NUMBER = re.compile(r"\d+")
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
            taken, made = compare_some(conn, BATCH)
        compared, proposed = compared + taken, proposed + made
        if taken < BATCH or clock.monotonic() > until:
            return f"{compared} entities compared, {proposed} merges proposed" if compared else None


def compare_some(conn: Connection, most: int) -> tuple[int, int]:
    """Compare entities that have to be; gives how many, and how many merges that proposes."""
    names = uncompared(conn, most)
    proposed = compare(conn, find_pairs(conn, names)) if names else 0
    mark_compared(conn, names)
    return len(names), proposed


def find_pairs(conn: Connection, names: Iterable[Named]) -> list[Pair]:
    """Put names into their blocks, and give each with the few that stand in the same."""
    standing = {name.id: blocks_of(name.workspace_id, name.kind, name.key) for name in names}
    keep_blocks(conn, standing)
    return candidates(conn, standing)


def blocks_of(workspace_id: UUID, kind: str, key: str) -> list[Block]:
    """The blocks of a name as numbers; those of other workspaces and kinds are others."""
    scope = hashlib.blake2b(f"{workspace_id} {kind} ".encode(), digest_size=8)
    found = []
    for block in blocks(kind, key):
        digest = scope.copy()
        digest.update(block.encode())
        found.append(Block(int.from_bytes(digest.digest(), signed=True), block.startswith("=")))
    return found


def compare(conn: Connection, pairs: list[Pair]) -> int:
    """Propose those that are alike and share something; gives how many are new."""
    letters = {pair: likeness(pair.kind, pair.one_key, pair.other_key) for pair in pairs}
    likely = [pair for pair in pairs if letters[pair] >= ALIKE or has_part(pair)]
    shared = signals(conn, likely) if likely else {}
    proposals = []
    for pair in likely:
        signal = shared.get((pair.one, pair.other))
        score = weighed(pair, letters[pair], signal) if signal else 0.0
        if signal is not None and score >= ALIKE and is_telling(pair, score, signal):
            reason = in_words(letters[pair], signal)
            proposals.append(Proposal(pair.workspace_id, pair.kind, pair.one, pair.other, reason, score))
    return propose_merges(conn, proposals)


def has_part(pair: Pair) -> bool:
    """Whether one of the names is a part of the other."""
    return is_part(pair.kind, pair.one_key, pair.other_key)


def weighed(pair: Pair, letters: float, signal: Signal) -> float:
    """How alike two entities are; a part of a name counts beside a number or address of one's own."""
    return max(letters, _PART) if signal.what in OWN and has_part(pair) else letters


def is_telling(pair: Pair, score: float, signal: Signal) -> bool:
    """Whether a signal is enough; silence is only where a rare name is hardly changed."""
    if signal.what != "silence":
        return True
    numbers = [sorted(_NUMBER.findall(key)) for key in (pair.one_key, pair.other_key)]
    return pair.rare and score >= _SURE.get(pair.kind, _SURE_OTHERWISE) and numbers[0] == numbers[1]


def in_words(score: float, signal: Signal) -> str:
    """Why two entities may be one."""
    alike = f"The names are {score:.0%} alike" if score >= ALIKE else "One name is part of the other"
    if signal.what == "silence":
        return f"{alike}, few others have such a word, and nothing speaks against it."
    if signal.what == "document":
        return f"{alike}, and both stand in {signal.name}."
    if signal.what == "domain":
        return f"{alike}, and both are named beside addresses at {signal.name}."
    return f"{alike}, and both are named beside the {_WORDS.get(signal.what, signal.what)} {signal.name}."


DUTY = Duty("merges", 10.0, _propose)
