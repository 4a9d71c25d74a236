"""The search page: passages with their matches marked, each a link to its page in its document."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from docyard.model.documents import Hit
from docyard.search import KINDS, SearchResult, meaning_of, search
from docyard.store.people import Identity
from docyard.web.context import TheWeb, Web
from docyard.web.identity import Reader
from docyard.web.inputs import NARROWING, Asked, Search, page_number
from docyard.web.rendering import render

routes = APIRouter()
PAGE_SIZE = 20
_LAST_PAGE = 50  # nobody reads the thousandth hit; a better query finds it sooner


@routes.get("/search")
def show_search(request: Request, web: TheWeb, identity: Reader, asked: Search, page: str = "") -> Response:
    """What the words find in this workspace."""
    number = min(page_number(page), _LAST_PAGE)
    result = _found(web, identity, asked, number) if asked.words else SearchResult([], 0)
    return render(
        request,
        "search.html",
        query=asked.words,
        given={name: asked.given.get(name, "") for name in NARROWING},
        narrowed=bool(asked.given),
        kinds=tuple(KINDS),
        result=result,
        number=number,
        first=(number - 1) * PAGE_SIZE + 1,
        link=lambda hit: hit_link(hit, asked.words),
        page_link=lambda n: _page_link(asked, asked.words, n),
        instead=_page_link(asked, result.suggestion, 1) if result.suggestion else None,
        has_more=number < _LAST_PAGE and number * PAGE_SIZE < result.total,
    )


def _found(web: Web, identity: Identity, asked: Asked, number: int) -> SearchResult:
    # Before the transaction: none is held while computing.
    meaning = meaning_of(web.embedder, asked.words) if asked.mode != "lexical" else None
    with web.db.transaction(identity.workspace_id) as conn:
        return search(
            conn,
            asked.words,
            most=PAGE_SIZE,
            skipped=(number - 1) * PAGE_SIZE,
            mode=asked.mode,
            meaning=meaning,
            filters=asked.filters,
        )


def _page_link(asked: Asked, words: str, number: int) -> str:
    return f"/search?{urlencode({'q': words, **asked.given, 'page': number})}"


def hit_link(hit: Hit, words: str) -> str:
    """The document, at the page of the hit, with the words marked, or the passage where no word was found."""
    place: dict[str, object] = {"page": hit.page, "q": words}
    if hit.by == "meaning" and hit.end:
        place.update(start=hit.start, end=hit.end)
    return f"/documents/{hit.document_id}?{urlencode(place)}#pages"
