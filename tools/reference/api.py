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

Every route answers in JSON under `/api/v1`. Requests carry the session cookie of a signed-in user; requests
that change something also carry its `X-CSRF-Token`. An error answers with its HTTP status and
`{"error": "..."}`.

A role includes the ones before it: viewer, editor, admin. An object of another workspace answers 404.
"""
# The dependency that checks a role, the weakest first.
_ROLES = {
    identity.reader: "viewer",
    identity.editor: "editor",
    identity.admin: "admin",
    identity.operator: "operator",
}


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
    parameters = table(["query parameter", "default"], sorted(set(_parameters(route.dependant))))
    return f"\n## {methods} {route.path}\n\n{summary}\n\nRole: {role}.\n{parameters}"


def _flatten(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _flatten(each)


def _role(dependant: Dependant) -> str:
    checks = {each.call for each in _flatten(dependant)}
    found = [role for check, role in _ROLES.items() if check in checks]
    return found[-1] if found else "none"


def _parameters(dependant: Dependant) -> Iterator[tuple[str, str]]:
    for each in _flatten(dependant):
        for parameter in each.query_params:
            default = parameter.default
            yield f"`{parameter.alias}`", "" if default in (None, "", ...) else f"`{default}`"
