"""What people say of fields, mentions, relations and merges, the same from a page and from the API."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from docyard import log
from docyard.errors import BadInput, NotFound
from docyard.pipeline.field_edits import editing, persons_value
from docyard.store import fields
from docyard.store.graph import entities, merges
from docyard.store.people import Identity
from docyard.web.context import Web
from docyard.web.inputs import whole_number

Verdict = Literal["confirm", "reject", "undo"]
Judged = Literal["mention", "relation", "field"]
_STATES = {"confirm": "confirmed", "reject": "rejected", "undo": "unconfirmed"}
_DECIDE = {"mention": entities.decide_mention, "relation": entities.decide_relation}


def judge(web: Web, identity: Identity, what: Judged, number: str, verdict: Verdict) -> None:
    """Confirm or reject a mention, a relation or a field, or leave it open again."""
    known, state = _existing(number, what), _STATES[verdict]
    with web.db.transaction(identity.workspace_id) as conn:
        if what == "field":
            with editing(conn, fields.document_of_field(conn, known)):
                fields.decide_field(conn, known, state, identity.email)
        else:
            _DECIDE[what](conn, known, state, identity.email)
    log.event(f"{what}_judged", number=number, verdict=verdict, user=identity.user_id)


def correct(web: Web, identity: Identity, number: str, text: str) -> None:
    """Give a value for a field in place of the one that was found."""
    field_id = _existing(number, "field")
    with (
        web.db.transaction(identity.workspace_id) as conn,
        editing(conn, fields.document_of_field(conn, field_id)),
    ):
        given = persons_value(fields.field_to_change(conn, field_id)["name"], text)
        fields.correct_field(conn, field_id, given.value, given.normal, identity.email)
    log.event("field_corrected", number=number, user=identity.user_id)


def judge_merge(web: Web, identity: Identity, pair: tuple[UUID, UUID], verdict: Verdict) -> bool:
    """Say whether two entities are one, or take that back; False when there was nothing to take back."""
    with web.db.transaction(identity.workspace_id) as conn:
        if verdict == "undo":
            done = merges.undo_merge(conn, *pair)
        else:
            decide = merges.confirm_merge if verdict == "confirm" else merges.reject_merge
            decide(conn, *pair, identity.email)
            done = True
    log.event("merge_judged", one=pair[0], other=pair[1], verdict=verdict, user=identity.user_id)
    return done


def _existing(number: str, what: str) -> int:
    try:
        return whole_number(number, what) or 0
    except BadInput:
        raise NotFound(f"There is no such {what}.") from None
