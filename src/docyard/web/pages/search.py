"""The Search page: hits with highlighted matches, facets and filters."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from docyard.db import Connection
from docyard.errors import NotFound
from docyard.ids import parse_id
from docyard.model.documents import Hit
from docyard.search import (
    KINDS,
    Facets,
    QueryVector,
    SearchResult,
    TagHit,
    count_facets,
    embed_query,
    find_near_tags,
    list_field_names,
    search,
    strip_fact_filters,
)
from docyard.store.documents import NOT_SURE, count_types
from docyard.store.folders import folder_names
from docyard.store.graph.entities import get_entity, load_family
from docyard.store.users import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.identity import Reader
from docyard.web.inputs import parse_page_number
from docyard.web.search_params import COMPARISON_LABELS, FILTER_PARAMS, SearchParams, SearchRequest
from docyard.web.view.templates import render

routes = APIRouter()
PAGE_SIZE = 20
_LAST_PAGE = 50  # no later pages are offered; users can refine the query instead


@dataclass(frozen=True, slots=True)
class Choices:
    """The available filter values, and the names of the selected entities."""

    types: list[str]
    fields: list[str]
    entities: list[tuple[str, str]]
    near_tags: tuple[TagHit, ...] = ()
    folders: tuple[str, ...] = ()


@routes.get("/search")
def show_search(request: Request, web: TheWeb, identity: Reader, asked: SearchParams, page: str = "") -> Response:
    """Show the results of a search in this workspace."""
    number = min(parse_page_number(page), _LAST_PAGE)
    result, common, choices = _search(web, identity, asked, number)
    return render(
        request,
        "search.html",
        query=asked.words,
        asked=asked,
        given={name: asked.given.get(name, "") for name in FILTER_PARAMS},
        narrowed=bool(asked.given or asked.entities),
        kinds=tuple(KINDS),
        signs=COMPARISON_LABELS,
        choices=choices,
        facets=common,
        result=result,
        number=number,
        first=(number - 1) * PAGE_SIZE + 1,
        link=lambda hit: hit_link(hit, asked),
        instead=asked.link(q=result.suggestion, page=1) if result.suggestion else None,
        has_more=number < _LAST_PAGE and number * PAGE_SIZE < result.total,
    )


def _search(web: Web, identity: Identity, asked: SearchRequest, number: int) -> tuple[SearchResult, Facets, Choices]:
    # Embed the query first, so that no transaction is open while the model runs.
    meaning = embed_query(web.embedder, asked.words) if asked.mode != "lexical" else None
    with web.db.transaction(identity.workspace_id) as conn:
        result = SearchResult([], 0)
        if asked.is_something:
            result = search(
                conn,
                asked.typed,
                limit=PAGE_SIZE,
                skipped=(number - 1) * PAGE_SIZE,
                mode=asked.mode,
                meaning=meaning,
                filters=asked.filters,
            )
        return result, count_facets(conn, result.documents), _choices(conn, identity, asked, meaning)


def _choices(conn: Connection, identity: Identity, asked: SearchRequest, meaning: QueryVector | None) -> Choices:
    types = [each for each in count_types(conn, identity.workspace_id) if each != NOT_SURE]
    named = [(each, _entity_name(conn, each)) for each in asked.entities]
    chosen = {tag.lower() for tag in asked.filters.tags}
    near = tuple(each for each in find_near_tags(conn, meaning) if each.name.lower() not in chosen)
    folders = tuple(folder_names(conn, identity.workspace_id))
    return Choices(types, list_field_names(conn), named, near, folders)


def _entity_name(conn: Connection, entity: str) -> str:
    """Return the name of the entity with this id; return any other text unchanged."""
    entity_id = parse_id(entity)
    with suppress(NotFound):
        return load_family(conn, get_entity(conn, entity_id))[0].name if entity_id else entity
    return entity


def hit_link(hit: Hit, asked: SearchRequest) -> str:
    """Return the link to the page of a hit, with the search words or the matching passage highlighted."""
    # In a search for an entity, the link of a hit by facts has no page: it opens the first mention.
    params: dict[str, object] = {} if hit.by == "facts" and asked.entities else {"page": hit.page}
    if words := strip_fact_filters(asked.words):
        params["q"] = words
    if hit.by == "meaning" and hit.end:
        params.update(start=hit.start, end=hit.end)
    if asked.entities:
        params["entity"] = asked.entities[0]
    return f"/documents/{hit.document_id}?{urlencode(params)}#pages"
