"""Form handlers for verdicts on facts and for new fields."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput, Retry
from docyard.web.actions import new_fields
from docyard.web.actions.verdicts import Verdict, correct, decide_fact, judge_merge
from docyard.web.context import TheWeb
from docyard.web.identity import Fields, Writer
from docyard.web.inputs import DocumentId, EntityId, OtherId, local_path
from docyard.web.view.notices import Notice, set_notices

routes = APIRouter()
_RESULTS = {"confirm": "confirmed.", "reject": "rejected.", "undo": "verdict undone."}
_MERGE_RESULTS = {"confirm": "Entities merged.", "reject": "Kept as separate entities.", "undo": "Decision undone."}


@routes.post("/mentions/{number}/{verdict}")
def judge_mention(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a mention, or undo the verdict."""
    decide_fact(web, identity, "mention", number, verdict)
    return _redirect(fields, f"Mention {_RESULTS[verdict]}")


@routes.post("/relations/{number}/{verdict}")
def judge_relation(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a relation, or undo the verdict."""
    decide_fact(web, identity, "relation", number, verdict)
    return _redirect(fields, f"Relation {_RESULTS[verdict]}")


@routes.post("/fields/{number}/correction")
def correct_field(web: TheWeb, identity: Writer, number: str, fields: Fields) -> Response:
    """Replace the value of a field with one entered by the user."""
    correct(web, identity, number, fields.get("value", ""))
    return _redirect(fields, "Value saved.")


@routes.post("/fields/{number}/{verdict}")
def judge_field(web: TheWeb, identity: Writer, number: str, verdict: Verdict, fields: Fields) -> Response:
    """Confirm or reject a field, or undo the verdict."""
    decide_fact(web, identity, "field", number, verdict)
    return _redirect(fields, f"Field {_RESULTS[verdict]}")


@routes.post("/documents/{document_id}/fields")
def add_field(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Add a field; if its value occurs in the text, first let the user choose the place."""
    typed = {"add": fields.get("name", ""), "value": fields.get("value", "")}
    form = f"/documents/{document_id}?{urlencode(typed)}"
    try:
        if "place" not in fields and new_fields.occurs_in_text(web, identity, document_id, fields):
            return RedirectResponse(f"{form}#add-field", 303)
        new_fields.add_user_field(web, identity, document_id, fields)
    except (BadInput, Retry) as refusal:
        response = RedirectResponse(form, 303)  # to the top of the page, where the notice is shown
        set_notices(response, [Notice("bad", str(refusal))])
        return response
    return _redirect({"back": f"/documents/{document_id}#facts"}, "Field added.")


@routes.post("/entities/{entity_id}/merges/{other_id}/{verdict}")
def judge_pair(
    web: TheWeb, identity: Writer, entity_id: EntityId, other_id: OtherId, verdict: Verdict, fields: Fields
) -> Response:
    """Merge two entities or keep them separate, or undo the verdict."""
    judge_merge(web, identity, (entity_id, other_id), verdict)
    return _redirect(fields, _MERGE_RESULTS[verdict])


def _redirect(fields: dict[str, str], words: str) -> Response:
    response = RedirectResponse(local_path(fields.get("back"), "/entities"), 303)
    set_notices(response, [Notice("good", words)])
    return response
