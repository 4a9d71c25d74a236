"""Templates, with what every page needs."""

from __future__ import annotations

import hashlib
from datetime import datetime
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
from docyard.web import notices
from docyard.web.steps import STEPS, steps_of

STATIC_FOLDER = Path(str(files("docyard.web").joinpath("static")))
_LANGUAGES = {
    "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip


def render(request: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """A page, with who is signed in and what the last request left to say."""
    said = notices.heard(request)
    values = {
        "identity": getattr(request.state, "identity", None), "notices": said, "query": "",
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""), **context,
    }  # fmt: skip
    response = HTMLResponse(_templates().get_template(template).render(values), status)
    if said:
        notices.forget(response)
    return response


def fragment(template: str, **context: object) -> HTMLResponse:
    """A part of a page, for a script that puts it in its place."""
    return HTMLResponse(_templates().get_template(template).render(context))


@cache
def static_version() -> str:
    """Changes when any static file does, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for path in sorted(STATIC_FOLDER.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("docyard.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(size=size, when=when, marked=marked, seconds=seconds, language=language)
    environment.globals.update(
        static=f"/static/{static_version()}", display_state=display_state, category=category, steps=STEPS,
        steps_of=steps_of,
    )  # fmt: skip
    return environment


def size(count: int | None) -> str:
    """A number of bytes as people say it."""
    if count is None:
        return "–"
    amount, unit = float(count), "bytes"
    for larger in ("kB", "MB", "GB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{count} bytes" if unit == "bytes" else f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"


def when(moment: datetime | None) -> Markup:
    """A time for every reader; a script turns it into the reader's own zone."""
    if moment is None:
        return Markup("–")
    text = moment.strftime("%d %b %Y, %H:%M %Z")
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), text)


def seconds(duration: float | None) -> str:
    """A duration as people say it."""
    if duration is None:
        return "–"
    if duration < 60:
        return f"{duration:.2f} s" if duration < 10 else f"{duration:.0f} s"
    return f"{int(duration // 60)} min {int(duration % 60)} s"


def marked(snippet: str) -> Markup:
    """A snippet with its matches marked; escaped first, because the text may hold anything."""
    shown = str(escape(snippet)).replace(MARK_START, "<mark>").replace(MARK_END, "</mark>")
    return Markup(shown)  # noqa: S704 - everything but our own marks was escaped in the line above


def language(code: str | None) -> str:
    """A language by its English name."""
    return _LANGUAGES.get(code or "", code or "–")
