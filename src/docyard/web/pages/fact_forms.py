"""The small forms that confirm and reject what documents say, where no script sends them."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput, Retry
from docyard.web.actions import new_fields
from docyard.web.actions.verdicts import Verdict, correct, judge, judge_merge
from docyard.web.context import TheWeb
from docyard.web.identity import Fields, Writer
from docyard.web.inputs import DocumentId, EntityId, OtherId, own_path
from docyard.web.view.notices import Notice, say

routes = APIRouter()
_SAID = {"confirm": "It is confirmed.", "reject": "It is rejected.", "undo": "It is open again."}
_SAID_OF_MERGE = {
    "confirm": "They are shown as one.",
    "reject": "They stay two.",
    "undo": "It is open again.",
}


@routes.post("/mentions/{number}/{verdict}")
def judge_mention(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a mention, or leave it open again."""
    judge(web, identity, "mention", number, verdict)
    return _back(fields, _SAID[verdict])


@routes.post("/relations/{number}/{verdict}")
def judge_relation(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a relation, or leave it open again."""
    judge(web, identity, "relation", number, verdict)
    return _back(fields, _SAID[verdict])


@routes.post("/fields/{number}/correction")
def correct_field(web: TheWeb, identity: Writer, number: str, fields: Fields) -> Response:
    """Give a value for a field, in place of the one that was found."""
    correct(web, identity, number, fields.get("value", ""))
    return _back(fields, "Your value is kept.")


@routes.post("/fields/{number}/{verdict}")
def judge_field(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a field, or leave it open again."""
    judge(web, identity, "field", number, verdict)
    return _back(fields, _SAID[verdict])


@routes.post("/documents/{document_id}/fields")
def add_field(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Add a field that was not found; where the text says it, its place is asked for first."""
    typed = {"add": fields.get("name", ""), "value": fields.get("value", "")}
    form = f"/documents/{document_id}?{urlencode(typed)}"
    try:
        if "place" not in fields and new_fields.is_said(web, identity, document_id, fields):
            return RedirectResponse(f"{form}#add-field", 303)
        new_fields.add(web, identity, document_id, fields)
    except (BadInput, Retry) as refusal:
        again = RedirectResponse(form, 303)  # to the top of the page, where the refusal is read
        say(again, [Notice("bad", str(refusal))])
        return again
    return _back({"back": f"/documents/{document_id}#facts"}, "Your field is kept.")


@routes.post("/entities/{entity_id}/merges/{other_id}/{verdict}")
def judge_pair(
    web: TheWeb, identity: Writer, entity_id: EntityId, other_id: OtherId, verdict: Verdict, fields: Fields
) -> Response:
    """Say whether two entities are one, or take that back."""
    judge_merge(web, identity, (entity_id, other_id), verdict)
    return _back(fields, _SAID_OF_MERGE[verdict])


def _back(fields: dict[str, str], words: str) -> Response:
    response = RedirectResponse(own_path(fields.get("back"), "/entities"), 303)
    say(response, [Notice("good", words)])
    return response
