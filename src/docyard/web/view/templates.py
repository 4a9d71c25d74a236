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

from docyard.model.failures import get_category
from docyard.model.status import display_state
from docyard.search import MARK_END, MARK_START
from docyard.web.view import fact_labels, formats, notices
from docyard.web.view.filters import list_link
from docyard.web.view.steps import STEPS, document_steps

STATIC_FOLDER = Path(str(files("docyard.web").joinpath("static")))


def render(request: Request, template: str, code: int = 200, **context: object) -> HTMLResponse:
    """Render a page for the current user; pending notices are shown and cleared."""
    pending = notices.read_notices(request)
    values = {
        "identity": getattr(request.state, "identity", None),
        "notices": pending,
        "query": "",
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        **context,
    }
    response = HTMLResponse(_templates().get_template(template).render(values), code)
    if pending:
        notices.clear_notices(response)
    return response


def render_fragment(template: str, **context: object) -> HTMLResponse:
    """Render a part of a page, for scripts that insert it."""
    return HTMLResponse(_templates().get_template(template).render(context))


@cache
def static_version() -> str:
    """Return a hash of all static files; their URLs contain it, so browsers can cache them indefinitely."""
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
        size=formats.format_size,
        when=formats.format_time,
        seconds=formats.format_duration,
        about=formats.round_duration,
        percent=formats.format_percent,
        language=formats.language_name,
        kind=formats.file_type_label,
        marked=mark_matches,
        named=fact_labels.label,
        group=fact_labels.plural_label,
        relation=fact_labels.relation_label,
        source=fact_labels.source_label,
        verdict=fact_labels.state_label,
        confidence=fact_labels.confidence_label,
        normal=fact_labels.shown_normal_form,
        day=fact_labels.format_date,
    )
    environment.globals.update(
        static=f"/static/{static_version()}",
        display_state=display_state,
        category=get_category,
        steps=STEPS,
        steps_of=document_steps,
        list_link=list_link,
    )
    return environment


def mark_matches(snippet: str) -> Markup:
    """Return a snippet as escaped HTML with its matches marked."""
    shown = str(escape(snippet)).replace(MARK_START, "<mark>").replace(MARK_END, "</mark>")
    return Markup(shown)  # noqa: S704 - the text was escaped above; only the mark tags are HTML
