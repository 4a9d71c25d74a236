"""The API of facts: what a document says, entities and how they relate, and what people decide."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.facts.vocabulary import THINGS, names_for
from docyard.model.entities import PlacedMention
from docyard.model.text.pages import Page
from docyard.search import entity_words
from docyard.store.documents import get_document
from docyard.store.fields import kept_fields
from docyard.store.graph import entities, merges
from docyard.store.results import load_page
from docyard.web.actions import new_fields
from docyard.web.actions.verdicts import Verdict, correct, judge, judge_merge
from docyard.web.api.fact_answers import (
    entity_json,
    evidence_json,
    field_json,
    mention_json,
    merge_json,
    offer_json,
    relation_json,
)
from docyard.web.context import TheWeb
from docyard.web.identity import Fields, Reader, Writer
from docyard.web.inputs import DocumentId, EntityId, OtherId, known_id, page_number, whole_number
from docyard.web.view.document_facts import evidence_of

routes = APIRouter(prefix="/api/v1")
_MOST_ENTITIES = 200
_MOST_MENTIONS = 200


@routes.get("/documents/{document_id}/facts")
def show_facts(web: TheWeb, identity: Reader, document_id: DocumentId, page: str = "") -> Response:
    """What a document says: its class, fields, mentions and relations, on one page if it is named."""
    number = page_number(page) if page else None
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
        speaking = evidence_of(conn, document) or {}
        fields = [each for each in kept_fields(conn, document_id) if _is_on(each.span, number)]
        mentions = entities.mentions_in(conn, document_id, number)
        relations = entities.relations_in(conn, document_id, number)
        pages = _pages(conn, mentions, [(document_id, each.span.page) for each in fields if each.span])
    return JSONResponse(
        {
            "documentId": str(document_id),
            "type": document.type,
            "typeConfidence": document.type_confidence,
            "evidence": [evidence_json(each) for several in speaking.values() for each in several],
            "summary": document.summary,
            "date": document.document_date.isoformat() if document.document_date else None,
            "fieldNames": list(names_for(document.type)),
            "fields": [
                field_json(each, pages.get((document_id, each.span.page if each.span else 0)))
                for each in fields
            ],
            "mentions": [mention_json(each, pages.get((document_id, each.page))) for each in mentions],
            "relations": [relation_json(each) for each in relations],
        }
    )


@routes.get("/entities")
def list_entities(
    web: TheWeb, identity: Reader, kind: str = "", q: str = "", after: str = "", limit: str = ""
) -> Response:
    """Entities by kind and by the beginnings of their words; `next` continues after the last."""
    kinds = [each for each in kind.split(",") if each]
    if unknown := [each for each in kinds if each not in THINGS]:
        raise BadInput(f"'kind' must be one of {', '.join(THINGS)}, not {unknown[0][:60]}.")
    most = min(whole_number(limit, "limit") or 50, _MOST_ENTITIES)
    with web.db.transaction(identity.workspace_id) as conn:
        last = entities.get_entity(conn, known_id(after, "entity")) if after else None
        words = entity_words(q[:200])
        found = entities.find_entities(conn, words=words, kinds=kinds, after=last, most=most + 1)
    shown = found[:most] if words or not q.strip() else []
    following = str(shown[-1].id) if len(found) > most and shown else None
    return JSONResponse({"entities": [entity_json(each) for each in shown], "next": following})


@routes.get("/entities/{entity_id}")
def show_entity(
    web: TheWeb, identity: Reader, entity_id: EntityId, below: str = "", limit: str = ""
) -> Response:
    """One entity: under which names, where it is mentioned, how it relates; `next` continues its mentions."""
    most = min(whole_number(limit, "limit") or 50, _MOST_MENTIONS)
    with web.db.transaction(identity.workspace_id) as conn:
        family = entities.family_of(conn, entities.get_entity(conn, entity_id))
        ids = [each.id for each in family]
        found = entities.mentions_of(conn, ids, below=whole_number(below, "below"), most=most + 1)
        relations = entities.relations_of(conn, ids)
        names, pairs = entities.aliases(conn, ids), merges.merges_of(conn, ids)
        pages = _pages(conn, found[:most])
    shown = found[:most]
    return JSONResponse(
        {
            **entity_json(family[0]),
            "aliases": [{"text": each.text, "mentions": each.mentions} for each in names],
            "merged": [entity_json(each) for each in family[1:]],
            "merges": [merge_json(each) for each in pairs],
            "mentions": [mention_json(each, pages.get((each.document_id, each.page))) for each in shown],
            "next": shown[-1].id if len(found) > most else None,
            "relations": [relation_json(each) for each in relations],
        }
    )


@routes.get("/merges")
def list_merges(web: TheWeb, identity: Reader, limit: str = "") -> Response:
    """Entities that may be one and wait for a person's decision, the most alike first."""
    most = min(whole_number(limit, "limit") or 50, _MOST_ENTITIES)
    with web.db.transaction(identity.workspace_id) as conn:
        found = merges.open_merges(conn, identity.workspace_id, most)
    return JSONResponse({"merges": [merge_json(each) for each in found]})


@routes.post("/entities/{entity_id}/merges/{other_id}/{verdict}")
def decide_merge(
    web: TheWeb, identity: Writer, entity_id: EntityId, other_id: OtherId, verdict: Verdict
) -> Response:
    """Confirm or reject that two entities are one, or take the decision back."""
    done = judge_merge(web, identity, (entity_id, other_id), verdict)
    return JSONResponse({"success" if done else "skipped": True})


@routes.post("/mentions/{number}/{verdict}")
def decide_mention(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a mention, or leave it open again."""
    judge(web, identity, "mention", number, verdict)
    return JSONResponse({"success": True})


@routes.post("/relations/{number}/{verdict}")
def decide_relation(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a relation, or leave it open again."""
    judge(web, identity, "relation", number, verdict)
    return JSONResponse({"success": True})


@routes.get("/documents/{document_id}/places")
def list_places(
    web: TheWeb, identity: Reader, document_id: DocumentId, name: str = "", value: str = ""
) -> Response:
    """Where the text of a document says this value of a field, the first places first."""
    with web.db.transaction(identity.workspace_id) as conn:
        document = get_document(conn, document_id)
    found = new_fields.offers(web, document, name, value)
    return JSONResponse({"places": [offer_json(each) for each in found]})


@routes.post("/documents/{document_id}/fields")
def add_field(web: TheWeb, identity: Writer, document_id: DocumentId, fields: Fields) -> Response:
    """Add the field `name` with this `value`; `place` (page,start,end) is where the text says so."""
    return JSONResponse({"id": new_fields.add(web, identity, document_id, fields)}, 201)


@routes.post("/fields/{number}/correction")
def correct_field(web: TheWeb, identity: Writer, number: str, fields: Fields) -> Response:
    """Give the form field `value` for a field, in place of the one that was found."""
    correct(web, identity, number, fields.get("value", ""))
    return JSONResponse({"success": True})


@routes.post("/fields/{number}/{verdict}")
def decide_field(web: TheWeb, identity: Writer, number: str, verdict: Verdict) -> Response:
    """Confirm or reject a field, or leave it open again; a value that a person gave goes when taken back."""
    judge(web, identity, "field", number, verdict)
    return JSONResponse({"success": True})


def _is_on(span: tuple[int, int, int] | None, page: int | None) -> bool:
    return page is None or (span is not None and span[0] == page)


def _pages(
    conn: Connection, mentions: Iterable[PlacedMention], more: Iterable[tuple[UUID, int]] = ()
) -> dict[tuple[UUID, int], Page]:
    """The pages on which all this stands, each once, for the boxes of its words."""
    wanted = dict.fromkeys([*((each.document_id, each.page) for each in mentions), *more])
    found = {}
    for document_id, number in list(wanted)[:_MOST_PAGES]:
        try:
            found[document_id, number] = load_page(conn, document_id, number)
        except NotFound:
            continue
    return found


_MOST_PAGES = 100  # whose boxes are read for one answer; a caller who wants more asks page by page
