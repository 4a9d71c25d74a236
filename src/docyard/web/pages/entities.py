"""The Entities page and the page of one entity."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from docyard.errors import BadInput
from docyard.facts.vocabulary import ENTITY_KINDS
from docyard.search import entity_words
from docyard.store.graph import entities, merges
from docyard.web.context import TheWeb
from docyard.web.identity import Reader
from docyard.web.inputs import EntityId, parse_object_id, parse_whole_number
from docyard.web.view.fact_labels import KIND_GROUPS
from docyard.web.view.templates import render

routes = APIRouter()
PAGE_SIZE = 50
_MAX_MERGES = 20
_MAX_RELATIONS = 60
_KINDS = tuple(kind for kind in KIND_GROUPS if kind in ENTITY_KINDS)


@routes.get("/entities")
def show_entities(
    request: Request, web: TheWeb, identity: Reader, kind: str = "", name: str = "", after: str = ""
) -> Response:
    """Show the entities of the workspace, sorted by name, and possible duplicates."""
    if kind and kind not in _KINDS:
        raise BadInput(f"'kind' must be one of {', '.join(_KINDS)}.")
    words = entity_words(name[:200])
    with web.db.transaction(identity.workspace_id) as conn:
        last = entities.get_entity(conn, parse_object_id(after, "entity")) if after else None
        found = entities.find_entities(conn, words=words, kinds=[kind] if kind else [], after=last, limit=PAGE_SIZE + 1)
        open_merges = merges.list_proposals(conn, identity.workspace_id, _MAX_MERGES)
    shown = found[:PAGE_SIZE] if words or not name.strip() else []
    more = {"kind": kind, "name": name, "after": shown[-1].id} if len(found) > PAGE_SIZE and shown else {}
    return render(
        request,
        "entities.html",
        entities=shown,
        merges=open_merges,
        kinds=_KINDS,
        kind=kind,
        name=name,
        after=after,
        next_link=f"/entities?{_encode(more)}" if more else None,
        first_link=f"/entities?{_encode({'kind': kind, 'name': name})}",
    )


@routes.get("/entities/{entity_id}")
def show_entity(request: Request, web: TheWeb, identity: Reader, entity_id: EntityId, below: str = "") -> Response:
    """Show an entity with names, mentions, relations and merges; redirect if it was merged into another."""
    with web.db.transaction(identity.workspace_id) as conn:
        family = entities.load_family(conn, entities.get_entity(conn, entity_id))
        ids = [each.id for each in family]
        found = entities.list_entity_mentions(conn, ids, below=parse_whole_number(below, "below"), limit=PAGE_SIZE + 1)
        related = entities.list_entity_relations(conn, ids, _MAX_RELATIONS)
        names, pairs = entities.list_aliases(conn, ids), merges.list_merges(conn, ids)
    if entity_id != family[0].id:
        return RedirectResponse(f"/entities/{family[0].id}", 303)
    shown = found[:PAGE_SIZE]
    return render(
        request,
        "entity.html",
        entity=family[0],
        merged=family[1:],
        aliases=names,
        pairs=pairs,
        mentions=shown,
        older=shown[-1].id if len(found) > PAGE_SIZE else None,
        below=below,
        relations=related,
        own=ids,
    )


def _encode(params: dict[str, object]) -> str:
    return urlencode({name: value for name, value in params.items() if value})
