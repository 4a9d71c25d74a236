"""docs/reference/api.md, from the routes of the web application."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from docyard.web import identity
from docyard.web.api import RESOURCES
from tools.reference.markdown import table

HEAD = """# HTTP API

Every route is below `/api/v1` and returns JSON. A request must contain the session cookie of a signed-in
user. A request that changes data must also contain the token of that session in the header `X-CSRF-Token`;
every page has it as `<meta name="docyard-csrf">`. An error has an HTTP status and the body `{"error":
"..."}`. For an object of another workspace, the status is 404.

The roles are viewer, editor and admin; each includes the previous ones.

A form is sent as `application/x-www-form-urlencoded`. An upload is sent as `multipart/form-data` with at
most 1,000 parts; the fields `tags` (separated by commas) and `folder` apply to the files after them.
"""
# The dependency that checks each role, the weakest role first.
_ROLES = {identity.reader: "viewer", identity.editor: "editor", identity.admin: "admin", identity.operator: "operator"}


def render() -> str:
    """Return the page."""
    return HEAD + "".join(_section(route) for route in _routes())


def _routes() -> Iterator[APIRoute]:
    for router in RESOURCES:
        yield from (route for route in router.routes if isinstance(route, APIRoute))


def _section(route: APIRoute) -> str:
    methods = ", ".join(sorted(route.methods or ()))
    summary = inspect.cleandoc(route.endpoint.__doc__ or "")
    role = _role(route.dependant)
    form = " The body is a form." if _takes_form(route.dependant) else ""
    parameters = table(["query parameter", "default"], sorted(set(_parameters(route.dependant))))
    return f"\n## {methods} {route.path}\n\n{summary}\n\nRole: {role}.{form}\n{parameters}"


def _flatten(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _flatten(each)


def _role(dependant: Dependant) -> str:
    checks = {each.call for each in _flatten(dependant)}
    found = [role for check, role in _ROLES.items() if check in checks]
    return found[-1] if found else "none"


def _takes_form(dependant: Dependant) -> bool:
    # Only direct dependencies are checked: every route that changes data has a nested one that may read the
    # CSRF token from a form.
    return any(each.call is identity.read_form for each in dependant.dependencies)


def _parameters(dependant: Dependant) -> Iterator[tuple[str, str]]:
    for each in _flatten(dependant):
        for parameter in each.query_params:
            default = parameter.default
            yield f"`{parameter.alias}`", "" if default in (None, "", ...) else f"`{default}`"
