"""Every route with the status code that each kind of user gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import httpx

from tests.web.site import Client

Act = Callable[[Client, UUID], httpx.Response]


@dataclass(frozen=True)
class Row:
    """One route, a request to it, and the status codes for anonymous, viewer, editor and outsider.

    An operator, who is in the outsider's workspace, gets the outsider's code unless `operator` is set.
    """

    route: str
    act: Act
    expected: tuple[int, int, int, int]
    operator: int | None = None

    @property
    def answers(self) -> tuple[int, ...]:
        return (*self.expected, self.expected[-1] if self.operator is None else self.operator)


def get(path: str) -> Act:
    return lambda person, document: person.http.get(path.format(document))


def post(path: str, **fields: str) -> Act:
    return lambda person, document: person.post(path.format(document), **fields)


def call(method: str, path: str) -> Act:
    return lambda person, document: person.call(method, path.format(document))


def upload(path: str) -> Act:
    return lambda person, _: person.upload((f"{person.csrf[:8]}.txt", person.csrf.encode() + b"x"), path=path)


def open_events(person: Client, _: UUID) -> httpx.Response:
    with person.http.stream("GET", "/events") as response:
        return response


def call_fact(method: str, path: str) -> Act:
    """Return an action that requests a path with ids of the document's facts."""

    def act(person: Client, document: UUID) -> httpx.Response:
        return person.call(method, path.format(**FACTS[document]))

    return act


def correct_field(path: str) -> Act:
    """Return an action that corrects the value of the document's field."""
    return lambda person, document: person.post(path.format(**FACTS[document]), value="Another name")


def call_folder(method: str, **fields: str) -> Act:
    """Return an action that sends a request for the folder of the document."""

    def act(person: Client, document: UUID) -> httpx.Response:
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
    Row("GET /healthz", get("/healthz"), OPEN),
    Row("GET /readyz", get("/readyz"), OPEN),
    Row("GET /metrics", get("/metrics"), OPEN),
    Row("GET /static", get("/static/x/docyard.css"), OPEN),
    Row("GET /sign-in", get("/sign-in"), OPEN),
    Row("POST /sign-in", post("/sign-in", token="wrong"), (401, 401, 401, 401)),
    Row("POST /sign-out", post("/sign-out"), (401, 303, 303, 303)),
    Row("GET /workspaces", get("/workspaces"), PAGE),
    Row("POST /workspace", post("/workspace", to="00000000-0000-0000-0000-000000000000"), (401, 404, 404, 404)),
    Row("GET /", get("/"), PAGE),
    Row("GET /documents", get("/documents"), (303, 303, 303, 303)),
    Row("POST /documents", upload("/documents"), (401, 403, 303, 303)),
    Row("GET /documents/counts", get("/documents/counts"), (401, 200, 200, 200)),
    Row("GET /documents/{document_id}", get("/documents/{}"), (303, 200, 200, 404)),
    Row("GET /documents/{document_id}/row", get("/documents/{}/row"), (401, 200, 200, 404)),
    Row("GET /documents/{document_id}/original", get("/documents/{}/original"), (303, 200, 200, 404)),
    Row("GET /documents/{document_id}/pages/{number}.png", get("/documents/{}/pages/1.png"), (401, 404, 404, 404)),
    Row("POST /documents/{document_id}/reprocess", post("/documents/{}/reprocess"), (401, 403, 303, 404)),
    Row("POST /documents/{document_id}/retry", post("/documents/{}/retry"), (401, 403, 303, 404)),
    Row("POST /documents/{document_id}/unlock", post("/documents/{}/unlock", password="wrong"), (401, 403, 303, 404)),
    Row("POST /documents/{document_id}/cancel", post("/documents/{}/cancel"), (401, 403, 303, 404)),
    Row("POST /documents/{document_id}/folder", post("/documents/{}/folder", folder="Claims"), (401, 403, 303, 404)),
    Row("GET /documents/{document_id}/delete", get("/documents/{}/delete"), (303, 403, 200, 404)),
    Row("POST /documents/{document_id}/delete", post("/documents/{}/delete"), (401, 403, 303, 404)),
    Row("GET /operations", get("/operations"), FOR_OPERATORS, 200),
    Row("POST /operations/pause", post("/operations/pause", kind="tier", name="low"), BY_OPERATORS, 303),
    Row("POST /operations/resume", post("/operations/resume", kind="tier", name="low"), BY_OPERATORS, 303),
    Row("POST /operations/close-breaker", post("/operations/close-breaker", pool="fetch"), BY_OPERATORS, 303),
    Row("POST /operations/causes/{fingerprint}/replay", post(f"{CAUSE}/replay"), BY_OPERATORS, 404),
    Row("GET /operations/causes/{fingerprint}/discard", get(f"{CAUSE}/discard"), FOR_OPERATORS, 404),
    Row("POST /operations/causes/{fingerprint}/discard", post(f"{CAUSE}/discard"), BY_OPERATORS, 404),
    Row("GET /search", get("/search?q=secret"), PAGE),
    Row("GET /entities", get("/entities"), PAGE),
    Row("GET /entities/{entity_id}", call_fact("GET", "/entities/{one}"), (303, 200, 200, 404)),
    Row(
        "POST /entities/{entity_id}/merges/{other_id}/{verdict}",
        call_fact("POST", "/entities/{one}/merges/{other}/reject"),
        (401, 403, 303, 404),
    ),
    Row("POST /mentions/{number}/{verdict}", call_fact("POST", "/mentions/{mention}/confirm"), (401, 403, 303, 404)),
    Row("POST /relations/{number}/{verdict}", call_fact("POST", "/relations/{relation}/reject"), (401, 403, 303, 404)),
    Row("POST /fields/{number}/{verdict}", call_fact("POST", "/fields/{field}/reject"), (401, 403, 303, 404)),
    Row("POST /fields/{number}/correction", correct_field("/fields/{field}/correction"), (401, 403, 303, 404)),
    Row(
        "POST /documents/{document_id}/fields",
        post("/documents/{}/fields", name="seller", value="Nobody", place=""),
        (401, 403, 303, 404),
    ),
    Row("GET /types", get("/types"), FOR_ADMINS),
    Row("POST /types", post("/types", name="x"), BY_ADMINS),
    Row("POST /types/again", post("/types/again"), BY_ADMINS),
    Row("POST /types/{name}/remove", post("/types/lab_report/remove"), BY_ADMINS),
    Row("POST /types/{name}/{switch}", post("/types/letter/off"), BY_ADMINS),
    Row("GET /connections", get("/connections"), FOR_ADMINS),
    Row("POST /connections", post("/connections", name="x"), BY_ADMINS),
    Row("POST /connections/classifying", post("/connections/classifying"), BY_ADMINS),
    Row("POST /connections/{connection_id}/test", post("/connections/{}/test"), BY_ADMINS),
    Row("POST /connections/{connection_id}/remove", post("/connections/{}/remove"), BY_ADMINS),
    Row("GET /events", open_events, (401, 200, 200, 200)),
    Row("POST /api/v1/documents", upload("/api/v1/documents"), (401, 403, 201, 201)),
    Row("GET /api/v1/documents", get("/api/v1/documents"), (401, 200, 200, 200)),
    Row("GET /api/v1/documents/{document_id}/related", get("/api/v1/documents/{}/related"), (401, 200, 200, 404)),
    Row("GET /api/v1/documents/{document_id}", get("/api/v1/documents/{}"), (401, 200, 200, 404)),
    Row("DELETE /api/v1/documents/{document_id}", call("DELETE", "/api/v1/documents/{}"), (401, 403, 204, 404)),
    Row("GET /api/v1/documents/{document_id}/text", get("/api/v1/documents/{}/text"), (401, 200, 200, 404)),
    Row(
        "POST /api/v1/documents/{document_id}/reprocess",
        call("POST", "/api/v1/documents/{}/reprocess"),
        (401, 403, 200, 404),
    ),
    Row("POST /api/v1/documents/{document_id}/retry", call("POST", "/api/v1/documents/{}/retry"), (401, 403, 200, 404)),
    Row(
        "POST /api/v1/documents/{document_id}/unlock",
        post("/api/v1/documents/{}/unlock", password="wrong"),
        (401, 403, 400, 404),
    ),
    Row(
        "POST /api/v1/documents/{document_id}/cancel", call("POST", "/api/v1/documents/{}/cancel"), (401, 403, 200, 404)
    ),
    Row("GET /api/v1/documents/{document_id}/facts", get("/api/v1/documents/{}/facts"), (401, 200, 200, 404)),
    Row("GET /api/v1/entities", get("/api/v1/entities"), (401, 200, 200, 200)),
    Row("GET /api/v1/merges", get("/api/v1/merges"), (401, 200, 200, 200)),
    Row("GET /api/v1/entities/{entity_id}", call_fact("GET", "/api/v1/entities/{one}"), (401, 200, 200, 404)),
    Row(
        "POST /api/v1/entities/{entity_id}/merges/{other_id}/{verdict}",
        call_fact("POST", "/api/v1/entities/{one}/merges/{other}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/mentions/{number}/{verdict}",
        call_fact("POST", "/api/v1/mentions/{mention}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/relations/{number}/{verdict}",
        call_fact("POST", "/api/v1/relations/{relation}/reject"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/fields/{number}/{verdict}",
        call_fact("POST", "/api/v1/fields/{field}/confirm"),
        (401, 403, 200, 404),
    ),
    Row(
        "POST /api/v1/fields/{number}/correction",
        correct_field("/api/v1/fields/{field}/correction"),
        (401, 403, 200, 404),
    ),
    Row(
        "GET /api/v1/documents/{document_id}/places",
        get("/api/v1/documents/{}/places?name=seller&value=secret"),
        (401, 200, 200, 404),
    ),
    Row(
        "POST /api/v1/documents/{document_id}/fields",
        post("/api/v1/documents/{}/fields", name="seller", value="Nobody"),
        (401, 403, 201, 404),
    ),
    Row("GET /api/v1/connections", get("/api/v1/connections"), (401, 200, 200, 200)),
    Row("POST /api/v1/connections", post("/api/v1/connections", name="x"), (401, 403, 403, 403)),
    Row("POST /api/v1/connections/classifying", post("/api/v1/connections/classifying"), (401, 403, 403, 403)),
    Row("DELETE /api/v1/connections/{connection_id}", call("DELETE", "/api/v1/connections/{}"), (401, 403, 403, 403)),
    Row("GET /api/v1/tags", get("/api/v1/tags?q=secret"), (401, 200, 200, 200)),
    Row("POST /api/v1/connections/{connection_id}/test", post("/api/v1/connections/{}/test"), BY_ADMINS),
    Row("GET /api/v1/types", get("/api/v1/types"), (401, 200, 200, 200)),
    Row("POST /api/v1/types", post("/api/v1/types", name="x"), BY_ADMINS),
    Row("POST /api/v1/types/again", post("/api/v1/types/again"), BY_ADMINS),
    Row("POST /api/v1/types/{name}/{switch}", post("/api/v1/types/letter/off"), BY_ADMINS),
    Row("DELETE /api/v1/types/{name}", call("DELETE", "/api/v1/types/lab_report"), BY_ADMINS),
    Row("GET /api/v1/folders", get("/api/v1/folders"), (401, 200, 200, 200)),
    Row("POST /api/v1/folders", post("/api/v1/folders", name="New"), (401, 403, 201, 201), 200),
    Row("PATCH /api/v1/folders/{folder_id}", call_folder("PATCH", name="Other name"), (401, 403, 200, 404)),
    Row("DELETE /api/v1/folders/{folder_id}", call_folder("DELETE"), (401, 403, 204, 404)),
    Row(
        "POST /api/v1/documents/{document_id}/folder",
        post("/api/v1/documents/{}/folder", folder="Claims"),
        (401, 403, 200, 404),
    ),
    Row("GET /api/v1/search", get("/api/v1/search?q=secret"), (401, 200, 200, 200)),
)
KINDS = ("anonymous", "viewer", "editor", "outsider", "operator")
