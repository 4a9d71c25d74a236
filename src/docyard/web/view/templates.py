"""Template rendering with the values that every page uses."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from docyard.model.failures import category
from docyard.model.status import display_state
from docyard.search import MARK_END, MARK_START
from docyard.web.view import fact_labels, formats, notices
from docyard.web.view.filters import list_link
from docyard.web.view.steps import STEPS, steps_of

STATIC_FOLDER = Path(str(files("docyard.web").joinpath("static")))


def render(request: Request, template: str, code: int = 200, **context: object) -> HTMLResponse:
    """Render a page for the signed-in user, with the notices of the previous request."""
    pending = notices.heard(request)
    values = {
        "identity": getattr(request.state, "identity", None),
        "notices": pending,
        "query": "",
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        **context,
    }
    response = HTMLResponse(_templates().get_template(template).render(values), code)
    if pending:
        notices.forget(response)
    return response


def fragment(template: str, **context: object) -> HTMLResponse:
    """Render a part of a page, for scripts that insert it."""
    return HTMLResponse(_templates().get_template(template).render(context))


@cache
def static_version() -> str:
    """Return a hash of all static files, which lets browsers cache them indefinitely."""
    digest = hashlib.sha256()
    for path in sorted(STATIC_FOLDER.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("docyard.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        size=formats.size,
        when=formats.when,
        seconds=formats.seconds,
        about=formats.about,
        percent=formats.percent,
        language=formats.language,
        kind=formats.kind,
        marked=marked,
        named=fact_labels.named,
        group=fact_labels.group,
        relation=fact_labels.relation,
        source=fact_labels.source,
        verdict=fact_labels.state,
        confidence=fact_labels.sure,
        normal=fact_labels.normal,
        day=fact_labels.day,
    )
    environment.globals.update(
        static=f"/static/{static_version()}",
        display_state=display_state,
        category=category,
        steps=STEPS,
        steps_of=steps_of,
        list_link=list_link,
    )
    return environment


def marked(snippet: str) -> Markup:
    """Return a snippet as escaped HTML with its matches marked."""
    shown = str(escape(snippet)).replace(MARK_START, "<mark>").replace(MARK_END, "</mark>")
    return Markup(shown)  # noqa: S704 - the text was escaped above; only the mark tags are HTML
