"""Users' verdicts on fields, mentions, relations and merges."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from docyard import log
from docyard.errors import BadInput, NotFound
from docyard.pipeline.field_edits import lock_for_edit, make_user_value
from docyard.store import fields
from docyard.store.graph import entities, merges
from docyard.store.users import Identity
from docyard.web.context import Web
from docyard.web.inputs import parse_whole_number

Verdict = Literal["confirm", "reject", "undo"]
FactKind = Literal["mention", "relation", "field"]
_STATES = {"confirm": "confirmed", "reject": "rejected", "undo": "unconfirmed"}
_DECIDE = {"mention": entities.decide_mention, "relation": entities.decide_relation}


def decide_fact(web: Web, identity: Identity, what: FactKind, number: str, verdict: Verdict) -> None:
    """Confirm or reject a mention, relation or field, or undo the verdict on it."""
    row_id, state = _parse_number(number, what), _STATES[verdict]
    with web.db.transaction(identity.workspace_id) as conn:
        if what == "field":
            with lock_for_edit(conn, fields.get_field_document(conn, row_id)):
                fields.decide_field(conn, row_id, state, identity.email)
        else:
            _DECIDE[what](conn, row_id, state, identity.email)
    log.event(f"{what}_verdict", number=number, verdict=verdict, user=identity.user_id)


def correct(web: Web, identity: Identity, number: str, text: str) -> None:
    """Replace the value of a field with one entered by the user."""
    field_id = _parse_number(number, "field")
    with (
        web.db.transaction(identity.workspace_id) as conn,
        lock_for_edit(conn, fields.get_field_document(conn, field_id)),
    ):
        given = make_user_value(fields.lock_field(conn, field_id)["name"], text)
        fields.correct_field(conn, field_id, given.value, given.normal, identity.email)
    log.event("field_corrected", number=number, user=identity.user_id)


def judge_merge(web: Web, identity: Identity, pair: tuple[UUID, UUID], verdict: Verdict) -> bool:
    """Merge two entities, keep them separate, or undo the verdict; return False if there was none to undo."""
    with web.db.transaction(identity.workspace_id) as conn:
        if verdict == "undo":
            done = merges.undo_merge(conn, *pair)
        else:
            decide = merges.confirm_merge if verdict == "confirm" else merges.reject_merge
            decide(conn, *pair, identity.email)
            done = True
    log.event("merge_verdict", one=pair[0], other=pair[1], verdict=verdict, user=identity.user_id)
    return done


def _parse_number(number: str, what: str) -> int:
    try:
        return parse_whole_number(number, what) or 0
    except BadInput:
        raise NotFound(f"There is no such {what}.") from None
