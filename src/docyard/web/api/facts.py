"""API for facts: fields, mentions, entities, relations, merges and verdicts on them."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.facts.vocabulary import ENTITY_KINDS, list_field_names
from docyard.model.entities import MentionView
from docyard.model.text.pages import Page
from docyard.search import entity_words
from docyard.store.documents import get_document
from docyard.store.fields import list_fields
from docyard.store.graph import entities, merges
from docyard.store.results import load_page
from docyard.web.actions import new_fields
from docyard.web.actions.verdicts import Verdict, correct, decide_fact, judge_merge
from docyard.web.api.fact_json import (
    entity_json,
    evidence_json,
    field_json,
    mention_json,
    merge_json,
    occurrence_json,
    relation_json,
)
from docyard.web.context import TheWeb
from docyard.web.identity import Fields, Reader, Writer
from docyard.web.inputs import DocumentId, EntityId, OtherId, parse_object_id, parse_page_number, parse_whole_number
from docyard.web.view.document_facts import load_evidence

routes = APIRouter(prefix="/api/v1")
_MAX_ENTITIES = 200
_MAX_MENTIONS = 200


@routes.get("/documents/{document_id}/facts")
def show_facts(web: TheWeb, identity: Reader, document_id: DocumentId, page: str = "") -> Response:
    """Return the type of a document and its fields, mentions and relations, all or those on one `page`."""
    number = parse_page_number(page) if page else None
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        evidence = load_evidence(conn, document) or {}
        fields = [each for each in list_fields(conn, document_id) if _is_on(each.span, number)]
        mentions = entities.list_document_mentions(conn, document_id, number)
        relations = entities.list_document_relations(conn, document_id, number)
        pages = _load_pages(conn, mentions, [(document_id, each.span.page) for each in fields if each.span])
    return JSONResponse(
        {
            "documentId": str(document_id),
            "type": document.type,
            "typeConfidence": document.type_confidence,
            "evidence": [evidence_json(each) for several in evidence.values() for each in several],
            "summary": document.summary,
            "date": document.document_date.isoformat() if document.document_date else None,
            "fieldNames": list(list_field_names(document.type)),
            "fields": [
                field_json(each, pages.get((document_id, each.span.page if each.span else 0))) for each in fields
            ],
            "mentions": [mention_json(each, pages.get((document_id, each.page))) for each in mentions],
            "relations": [relation_json(each) for each in relations],
        }
    )


@routes.get("/entities")
def list_entities(
    web: TheWeb, identity: Reader, kind: str = "", q: str = "", after: str = "", limit: str = ""
) -> Response:
    """Return entities, filtered by `kind` and word prefixes in `q`; pass `next` as `after` for more."""
    kinds = [each for each in kind.split(",") if each]
    if unknown := [each for each in kinds if each not in ENTITY_KINDS]:
        raise BadInput(f"'kind' must be one of {', '.join(ENTITY_KINDS)}, not {unknown[0][:60]}.")
    max_count = min(parse_whole_number(limit, "limit") or 50, _MAX_ENTITIES)
    with web.db.transaction(identity.workspace_id) as conn:
        last = entities.get_entity(conn, parse_object_id(after, "entity")) if after else None
        words = entity_words(q[:200])
        found = entities.find_entities(conn, words=words, kinds=kinds, after=last, limit=max_count + 1)
    shown = found[:max_count] if words or not q.strip() else []
    following = str(shown[-1].id) if len(found) > max_count and shown else None
    return JSONResponse({"entities": [entity_json(each) for each in shown], "next": following})


@routes.get("/entities/{entity_id}")
def show_entity(web: TheWeb, identity: Reader, entity_id: EntityId, below: str = "", limit: str = "") -> Response:
    """Return an entity with names, merges, relations and mentions (older ones: pass `next` as `below`)."""
    max_count = min(parse_whole_number(limit, "limit") or 50, _MAX_MENTIONS)
    with web.db.transaction(identity.workspace_id) as conn:
        family = entities.load_family(conn, entities.get_entity(conn, entity_id))
        ids = [each.id for each in family]
        found = entities.list_entity_mentions(conn, ids, below=parse_whole_number(below, "below"), limit=max_count + 1)
        relations = entities.list_entity_relations(conn, ids)
        names, pairs = entities.list_aliases(conn, ids), merges.list_merges(conn, ids)
        pages = _load_pages(conn, found[:max_count])
    shown = found[:max_count]
    return JSONResponse(
        {
            **entity_json(family[0]),
            "aliases": [{"text": each.text, "mentions": each.mentions} for each in names],
            "merged": [entity_json(each) for each in family[1:]],
            "merges": [merge_json(each) for each in pairs],
            "mentions": [mention_json(each, pages.get((each.document_id, each.page))) for each in shown],
            "next": shown[-1].id if len(found) > max_count else None,
            "relations": [relation_json(each) for each in relations],
        }
    )


@routes.get("/merges")
def list_merges(web: TheWeb, identity: Reader, limit: str = "") -> Response:
    """Return proposed merges without a verdict, the most similar first."""
    max_count = min(parse_whole_number(limit, "limit") or 50, _MAX_ENTITIES)
    with web.db.transaction(identity.workspace_id) as conn:
        found = merges.list_proposals(conn, identity.workspace_id, max_count)
    return JSONResponse({"merges": [merge_json(each) for each in found]})


@routes.post("/entities/{entity_id}/merges/{other_id}/{verdict}")
def decide_merge(web: TheWeb, identity: Writer, entity_id: EntityId, other_id: OtherId, verdict: Verdict) -> Response:
    """Confirm or reject the merge of two entities, or undo the verdict."""
    done = judge_merge(web, identity, (entity_id, other_id), verdict)
    return JSONResponse({"success" if done else "skipped": True})


@routes.post("/mentions/{number}/{verdict}")
def decide_mention(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a mention, or undo the verdict."""
    decide_fact(web, identity, "mention", number, verdict)
    return JSONResponse({"success": True})


@routes.post("/relations/{number}/{verdict}")
def decide_relation(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a relation, or undo the verdict."""
    decide_fact(web, identity, "relation", number, verdict)
    return JSONResponse({"success": True})


@routes.get("/documents/{document_id}/places")
def list_places(web: TheWeb, identity: Reader, document_id: DocumentId, name: str = "", value: str = "") -> Response:
    """Return occurrences of a field value in the text, in reading order."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    found = new_fields.find_occurrences(web, document, name, value)
    return JSONResponse({"places": [occurrence_json(each) for each in found]})


@routes.post("/documents/{document_id}/fields")
def add_field(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Add the field `name` with `value`; `place` (page,start,end) is its position in the text, if any."""
    return JSONResponse({"id": new_fields.add_user_field(web, identity, document_id, fields)}, 201)


@routes.post("/fields/{number}/correction")
def correct_field(web: TheWeb, identity: Writer, number: str, fields: Fields) -> Response:
    """Replace the value of a field with the form field `value`."""
    correct(web, identity, number, fields.get("value", ""))
    return JSONResponse({"success": True})


@routes.post("/fields/{number}/{verdict}")
def decide_field(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a field, or undo the verdict; undo removes a value that a user entered."""
    decide_fact(web, identity, "field", number, verdict)
    return JSONResponse({"success": True})


def _is_on(span: tuple[int, int, int] | None, page: int | None) -> bool:
    return page is None or (span is not None and span[0] == page)


def _load_pages(
    conn: Connection, mentions: Iterable[MentionView], more: Iterable[tuple[UUID, int]] = ()
) -> dict[tuple[UUID, int], Page]:
    """Load the pages of the mentions and those in `more`, at most 100, for their bounding boxes."""
    wanted = dict.fromkeys([*((each.document_id, each.page) for each in mentions), *more])
    found = {}
    for document_id, number in list(wanted)[:_MAX_PAGES]:
        try:
            found[document_id, number] = load_page(conn, document_id, number)
        except NotFound:
            continue
    return found


_MAX_PAGES = 100  # pages with bounding boxes in one response; request single pages for more
