"""Every route, how to use it, and what each kind of person gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import httpx

from tests.web.visiting import Person

Act = Callable[[Person, UUID], httpx.Response]


@dataclass(frozen=True)
class Row:
    """One route, how to use it, and what anonymous, viewer, editor and outsider get.

    An operator, who belongs to the outsider's workspace, gets the same as the outsider unless said otherwise.
    """

    route: str
    act: Act
    expected: tuple[int, int, int, int]
    operator: int | None = None

    @property
    def answers(self) -> tuple[int, ...]:
        return (*self.expected, self.expected[-1] if self.operator is None else self.operator)


def looks(path: str) -> Act:
    return lambda person, document: person.http.get(path.format(document))


def posts(path: str, **fields: str) -> Act:
    return lambda person, document: person.post(path.format(document), **fields)


def calls(method: str, path: str) -> Act:
    return lambda person, document: person.call(method, path.format(document))


def uploads(path: str) -> Act:
    return lambda person, _: person.upload((f"{person.csrf[:8]}.txt", person.csrf.encode() + b"x"), path=path)


def watches(person: Person, _: UUID) -> httpx.Response:
    with person.http.stream("GET", "/events") as response:
        return response


def an_entity(method: str, path: str) -> Act:
    """Of the document's facts, which somebody of its workspace knows by their numbers."""

    def act(person: Person, document: UUID) -> httpx.Response:
        return person.call(method, path.format(**FACTS[document]))

    return act


def corrects(path: str) -> Act:
    """The document's field, with a value of one's own."""
    return lambda person, document: person.post(path.format(**FACTS[document]), value="Somebody else")


def a_folder(method: str, **fields: str) -> Act:
    """That the document lies in."""

    def act(person: Person, document: UUID) -> httpx.Response:
        path = f"/api/v1/folders/{FOLDERS[document]}"
        return person.http.request(method, path, data=fields, headers={"X-CSRF-Token": person.csrf})

    return act


FOLDERS: dict[UUID, UUID] = {}
FACTS: dict[UUID, dict[str, object]] = {}
OPEN = (200, 200, 200, 200)
PAGE = (303, 200, 200, 200)
FOR_OPERATORS, BY_OPERATORS = (303, 403, 403, 403), (401, 403, 403, 403)
FOR_ADMINS, BY_ADMINS = (303, 403, 403, 403), (401, 403, 403, 403)
CAUSE = "/operations/causes/" + "0" * 32
TABLE = (
    Row("GET /healthz", looks("/healthz"), OPEN),
    Row("GET /readyz", looks("/readyz"), OPEN),
    Row("GET /metrics", looks("/metrics"), OPEN),
    Row("GET /static", looks("/static/x/docyard.css"), OPEN),
    Row("GET /sign-in", looks("/sign-in"), OPEN),
    Row("POST /sign-in", posts("/sign-in", token="wrong"), (401, 401, 401, 401)),
    Row("POST /sign-out", posts("/sign-out"), (401, 303, 303, 303)),
    Row("GET /workspaces", looks("/workspaces"), PAGE),
    Row(
        "POST /workspace",
        posts("/workspace", to="00000000-0000-0000-0000-000000000000"),
        (401, 404, 404, 404),
    ),
    Row("GET /", looks("/"), PAGE),
    Row("GET /documents", looks("/documents"), (303, 303, 303, 303)),
    Row("POST /documents", uploads("/documents"), (401, 403, 303, 303)),
    Row("GET /documents/counts", looks("/documents/counts"), (401, 200, 200, 200)),
    Row("GET /documents/{document_id}", looks("/documents/{}"), (303, 200, 200, 404)),
    Row("GET /documents/{document_id}/row", looks("/documents/{}/row"), (401, 200, 200, 404)),
    Row("GET /documents/{document_id}/original", looks("/documents/{}/original"), (303, 200, 200, 404)),
    Row(
        "GET /documents/{document_id}/pages/{number}.png",
        looks("/documents/{}/pages/1.png"),
        (401, 404, 404, 404),
    ),
    Row("POST /documents/{document_id}/retry", posts("/documents/{}/retry"), (401, 403, 303, 404)),
    Row(
        "POST /documents/{document_id}/unlock",
        posts("/documents/{}/unlock", password="wrong"),
        (401, 403, 303, 404),
    ),
    Row("POST /documents/{document_id}/cancel", posts("/documents/{}/cancel"), (401, 403, 303, 404)),
    Row(
        "POST /documents/{document_id}/folder",
        posts("/documents/{}/folder", folder="Claims"),
        (401, 403, 303, 404),
    ),
    Row("GET /documents/{document_id}/delete", looks("/documents/{}/delete"), (303, 403, 200, 404)),
    Row("POST /documents/{document_id}/delete", posts("/documents/{}/delete"), (401, 403, 303, 404)),
    Row("GET /operations", looks("/operations"), FOR_OPERATORS, 200),
    Row("POST /operations/pause", posts("/operations/pause", kind="tier", name="low"), BY_OPERATORS, 303),
    Row("POST /operations/resume", posts("/operations/resume", kind="tier", name="low"), BY_OPERATORS, 303),
    Row(
        "POST /operations/close-breaker", posts("/operations/close-breaker", pool="fetch"), BY_OPERATORS, 303
    ),
    Row("POST /operations/causes/{fingerprint}/replay", posts(f"{CAUSE}/replay"), BY_OPERATORS, 404),
    Row("GET /operations/causes/{fingerprint}/discard", looks(f"{CAUSE}/discard"), FOR_OPERATORS, 404),
    Row("POST /operations/causes/{fingerprint}/discard", posts(f"{CAUSE}/discard"), BY_OPERATORS, 404),
    Row("GET /search", looks("/search?q=secret"), PAGE),
    Row("GET /entities", looks("/entities"), PAGE),
    Row("GET /entities/{entity_id}", an_entity("GET", "/entities/{one}"), (303, 200, 200, 404)),
    Row(
        "POST /entities/{entity_id}/merges/{other_id}/{verdict}",
        an_entity("POST", "/entities/{one}/merges/{other}/reject"),
        (401, 403, 303, 404),
    ),
    Row(
        "POST /mentions/{number}/{verdict}",
        an_entity("POST", "/mentions/{mention}/confirm"),
        (401, 403, 303, 404),
    ),
    Row(
        "POST /relations/{number}/{verdict}",
        an_entity("POST", "/relations/{relation}/reject"),
        (401, 403, 303, 404),
    ),
    Row("POST /fields/{number}/{verdict}", an_entity("POST", "/fields/{field}/reject"), (401, 403, 303, 404)),
    Row(
        "POST /fields/{number}/correction",
        corrects("/fields/{field}/correction"),
        (401, 403, 303, 404),
    ),
    Row(
        "POST /documents/{document_id}/fields",
        posts("/documents/{}/fields", name="seller", value="Nobody", place=""),
        (401, 403, 303, 404),
    ),
    Row("GET /types", looks("/types"), FOR_ADMINS),
    Row("POST /types", posts("/types", name="x"), BY_ADMINS),
    Row("POST /types/again", posts("/types/again"), BY_ADMINS),
    Row("POST /types/{name}/remove", posts("/types/lab_report/remove"), BY_ADMINS),
    Row("POST /types/{name}/{switch}", posts("/types/letter/off"), BY_ADMINS),
    Row("GET /connections", looks("/connections"), FOR_ADMINS),
    Row("POST /connections", posts("/connections", name="x"), BY_ADMINS),
    Row("POST /connections/classifying", posts("/connections/classifying"), BY_ADMINS),
    Row("POST /connections/{connection_id}/test", posts("/connections/{}/test"), BY_ADMINS),
    Row("POST /connections/{connection_id}/remove", posts("/connections/{}/remove"), BY_ADMINS),
    Row("GET /events", watches, (401, 200, 200, 200)),
    Row("POST /api/v1/documents", uploads("/api/v1/documents"), (401, 403, 201, 201)),
    Row("GET /api/v1/documents", looks("/api/v1/documents"), (401, 200, 200, 200)),
    Row(
        "GET /api/v1/documents/{document_id}/related",
        looks("/api/v1/documents/{}/related"),
        (401, 200, 200, 404),
    ),
    Row("GET /api/v1/documents/{document_id}", looks("/api/v1/documents/{}"), (401, 200, 200, 404)),
    Row(
        "DELETE /api/v1/documents/{document_id}",
        calls("DELETE", "/api/v1/documents/{}"),
        (401, 403, 204, 404),
    ),
    Row("GET /api/v1/documents/{document_id}/text", looks("/api/v1/documents/{}/text"), (401, 200, 200, 404)),
    Row(
        "POST /api/v1/documents/{document_id}/retry",
        calls("POST", "/api/v1/documents/{}/retry"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/documents/{document_id}/unlock",
        posts("/api/v1/documents/{}/unlock", password="wrong"),
        (401, 403, 400, 404),
    ),
    Row(
        "POST /api/v1/documents/{document_id}/cancel",
        calls("POST", "/api/v1/documents/{}/cancel"),
        (401, 403, 200, 404),
    ),
    Row(
        "GET /api/v1/documents/{document_id}/facts",
        looks("/api/v1/documents/{}/facts"),
        (401, 200, 200, 404),
    ),
    Row("GET /api/v1/entities", looks("/api/v1/entities"), (401, 200, 200, 200)),
    Row("GET /api/v1/merges", looks("/api/v1/merges"), (401, 200, 200, 200)),
    Row("GET /api/v1/entities/{entity_id}", an_entity("GET", "/api/v1/entities/{one}"), (401, 200, 200, 404)),
    Row(
        "POST /api/v1/entities/{entity_id}/merges/{other_id}/{verdict}",
        an_entity("POST", "/api/v1/entities/{one}/merges/{other}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/mentions/{number}/{verdict}",
        an_entity("POST", "/api/v1/mentions/{mention}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/relations/{number}/{verdict}",
        an_entity("POST", "/api/v1/relations/{relation}/reject"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/fields/{number}/{verdict}",
        an_entity("POST", "/api/v1/fields/{field}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/fields/{number}/correction",
        corrects("/api/v1/fields/{field}/correction"),
        (401, 403, 200, 404),
    ),
    Row(
        "GET /api/v1/documents/{document_id}/places",
        looks("/api/v1/documents/{}/places?name=seller&value=secret"),
        (401, 200, 200, 404),
    ),
    Row(
        "POST /api/v1/documents/{document_id}/fields",
        posts("/api/v1/documents/{}/fields", name="seller", value="Nobody"),
        (401, 403, 201, 404),
    ),
    Row("GET /api/v1/connections", looks("/api/v1/connections"), (401, 200, 200, 200)),
    Row("POST /api/v1/connections", posts("/api/v1/connections", name="x"), (401, 403, 403, 403)),
    Row(
        "POST /api/v1/connections/classifying", posts("/api/v1/connections/classifying"), (401, 403, 403, 403)
    ),
    Row(
        "DELETE /api/v1/connections/{connection_id}",
        calls("DELETE", "/api/v1/connections/{}"),
        (401, 403, 403, 403),
    ),
    Row("GET /api/v1/tags", looks("/api/v1/tags?q=secret"), (401, 200, 200, 200)),
    Row(
        "POST /api/v1/connections/{connection_id}/test",
        posts("/api/v1/connections/{}/test"),
        BY_ADMINS,
    ),
    Row("GET /api/v1/types", looks("/api/v1/types"), (401, 200, 200, 200)),
    Row("POST /api/v1/types", posts("/api/v1/types", name="x"), BY_ADMINS),
    Row("POST /api/v1/types/again", posts("/api/v1/types/again"), BY_ADMINS),
    Row("POST /api/v1/types/{name}/{switch}", posts("/api/v1/types/letter/off"), BY_ADMINS),
    Row("DELETE /api/v1/types/{name}", calls("DELETE", "/api/v1/types/lab_report"), BY_ADMINS),
    Row("GET /api/v1/folders", looks("/api/v1/folders"), (401, 200, 200, 200)),
    Row("POST /api/v1/folders", posts("/api/v1/folders", name="New"), (401, 403, 201, 201), 200),
    Row("PATCH /api/v1/folders/{folder_id}", a_folder("PATCH", name="Other name"), (401, 403, 200, 404)),
    Row("DELETE /api/v1/folders/{folder_id}", a_folder("DELETE"), (401, 403, 204, 404)),
    Row(
        "POST /api/v1/documents/{document_id}/folder",
        posts("/api/v1/documents/{}/folder", folder="Claims"),
        (401, 403, 200, 404),
    ),
    Row("GET /api/v1/search", looks("/api/v1/search?q=secret"), (401, 200, 200, 200)),
)
KINDS = ("anonymous", "viewer", "editor", "outsider", "operator")
