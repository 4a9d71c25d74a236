"""The search page: passages with their matches marked, each a link to its page in its document."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from docyard.model.documents import Hit
from docyard.search import SearchResult, search
from docyard.web.context import TheWeb
from docyard.web.identity import Reader
from docyard.web.inputs import page_number
from docyard.web.rendering import render

routes = APIRouter()
PAGE_SIZE = 20
_LAST_PAGE = 50  # nobody reads the thousandth hit; a better query finds it sooner


@routes.get("/search")
def show_search(request: Request, web: TheWeb, identity: Reader, q: str = "", page: str = "") -> Response:
    """What the words find in this workspace."""
    words, number = q.strip(), min(page_number(page), _LAST_PAGE)
    result = SearchResult([], 0)
    if words:
        with web.db.transaction(identity.workspace_id) as conn:
            result = search(conn, words, most=PAGE_SIZE, skipped=(number - 1) * PAGE_SIZE)
    has_more = number < _LAST_PAGE and number * PAGE_SIZE < result.total
    return render(
        request,
        "search.html",
        query=words,
        result=result,
        number=number,
        first=(number - 1) * PAGE_SIZE + 1,
        link=lambda hit: hit_link(hit, words),
        page_link=lambda n: f"/search?{urlencode({'q': words, 'page': n})}",
        has_more=has_more,
    )


def hit_link(hit: Hit, words: str) -> str:
    """The document, at the page of the hit, with the words marked."""
    return f"/documents/{hit.document_id}?{urlencode({'page': hit.page, 'q': words})}#pages"
