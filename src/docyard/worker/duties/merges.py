"""The duty that proposes to merge entities that have similar names and another signal of being the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from uuid import UUID

from docyard import clock
from docyard.db import Connection
from docyard.facts.resolution.blocking_keys import make_blocking_keys
from docyard.facts.resolution.similarity import contains_name, measure_similarity
from docyard.store.graph.candidates import (
    IDENTIFYING_KINDS,
    BlockingKey,
    EntityVersion,
    Pair,
    Signal,
    find_candidates,
    find_signals,
    list_uncompared,
    mark_compared,
    save_blocking_keys,
)
from docyard.store.graph.merges import Proposal, propose_merges
from docyard.worker.duties.duty import Duty, DutyContext

MIN_SIMILARITY = 0.88
# Minimum similarity if a rare word is the only signal; higher for persons, who more often share a name.
_MIN_RARE_SIMILARITY = {"person": 0.95}
_DEFAULT_MIN_RARE_SIMILARITY = 0.92
# Minimum score if one name is part of the other and both share an identifier, such as a phone number.
_PARTIAL_NAME_SCORE = 0.9
_MAX_SECONDS = 3.0  # the worker claims nothing meanwhile; remaining work is done in the next run
BATCH_SIZE = 50
_NUMBER = re.compile(r"\d+")
_KIND_LABELS = {
    "vat_number": "VAT number",
    "iban": "bank account",
    "email": "e-mail address",
    "phone": "phone number",
    "case_number": "case number",
    "invoice_number": "invoice number",
    "person": "person",
    "organisation": "organisation",
    "part": "part",
    "place": "place",
}


def _propose_merges(context: DutyContext) -> str | None:
    deadline = clock.monotonic() + _MAX_SECONDS
    proposed = compared = 0
    while True:
        # One transaction per batch: a longer one would hold locks on entities that documents wait for.
        with context.pipeline.db.transaction() as conn:
            taken, made = compare_batch(conn, BATCH_SIZE)
        compared, proposed = compared + taken, proposed + made
        if taken < BATCH_SIZE or clock.monotonic() > deadline:
            return f"Entities compared: {compared}; merges proposed: {proposed}" if compared else None


def compare_batch(conn: Connection, limit: int) -> tuple[int, int]:
    """Compare up to `limit` changed entities; return the numbers of entities compared and merges proposed."""
    names = list_uncompared(conn, limit)
    proposed = propose_similar_pairs(conn, find_pairs(conn, names)) if names else 0
    mark_compared(conn, names)
    return len(names), proposed


def find_pairs(conn: Connection, names: Iterable[EntityVersion]) -> list[Pair]:
    """Save the blocking keys of the entities; return pairs of an entity and a candidate that share a key."""
    by_entity = {name.id: hash_blocking_keys(name.workspace_id, name.kind, name.key) for name in names}
    save_blocking_keys(conn, by_entity)
    return find_candidates(conn, by_entity)


def hash_blocking_keys(workspace_id: UUID, kind: str, key: str) -> list[BlockingKey]:
    """Return the blocking keys of a name as hashes, which differ between workspaces and kinds."""
    scope = hashlib.blake2b(f"{workspace_id} {kind} ".encode(), digest_size=8)
    found = []
    for text in make_blocking_keys(kind, key):
        digest = scope.copy()
        digest.update(text.encode())
        found.append(BlockingKey(int.from_bytes(digest.digest(), signed=True), text.startswith("=")))
    return found


def propose_similar_pairs(conn: Connection, pairs: list[Pair]) -> int:
    """Propose merges of pairs with similar names and a sufficient signal; return the number of new ones."""
    similarity = {pair: measure_similarity(pair.kind, pair.one_key, pair.other_key) for pair in pairs}
    likely = [pair for pair in pairs if similarity[pair] >= MIN_SIMILARITY or has_partial_name(pair)]
    shared = find_signals(conn, likely) if likely else {}
    proposals = []
    for pair in likely:
        signal = shared.get((pair.one, pair.other))
        score = score_pair(pair, similarity[pair], signal) if signal else 0.0
        if signal is not None and score >= MIN_SIMILARITY and is_sufficient(pair, score, signal):
            reason = explain_merge(similarity[pair], signal)
            proposals.append(Proposal(pair.workspace_id, pair.kind, pair.one, pair.other, reason, score))
    return propose_merges(conn, proposals)


def has_partial_name(pair: Pair) -> bool:
    """Return whether one of the names is part of the other."""
    return contains_name(pair.kind, pair.one_key, pair.other_key)


def score_pair(pair: Pair, similarity: float, signal: Signal) -> float:
    """Return the score of a pair; a partial name with a shared identifier scores at least 0.9."""
    return (
        max(similarity, _PARTIAL_NAME_SCORE)
        if signal.what in IDENTIFYING_KINDS and has_partial_name(pair)
        else similarity
    )


def is_sufficient(pair: Pair, score: float, signal: Signal) -> bool:
    """Return whether a signal suffices; 'silence' needs a rare word, equal numbers and a high score."""
    if signal.what != "silence":
        return True
    numbers = [sorted(_NUMBER.findall(key)) for key in (pair.one_key, pair.other_key)]
    threshold = _MIN_RARE_SIMILARITY.get(pair.kind, _DEFAULT_MIN_RARE_SIMILARITY)
    return pair.rare and score >= threshold and numbers[0] == numbers[1]


def explain_merge(score: float, signal: Signal) -> str:
    """Return the reason why two entities may be the same, for the user who decides on the merge."""
    names = f"The names are {score:.0%} similar" if score >= MIN_SIMILARITY else "One name is part of the other"
    if signal.what == "silence":
        return f"{names} and share a rare word, and no number or address contradicts a merge."
    if signal.what == "document":
        return f"{names}, and both occur in {signal.name}."
    if signal.what == "domain":
        return f"{names}, and their documents mention e-mail addresses at {signal.name}."
    label = _KIND_LABELS.get(signal.what, signal.what)
    return f"{names}, and their documents mention the {label} {signal.name}."


DUTY = Duty("merges", 10.0, _propose_merges)
