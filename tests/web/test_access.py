"""Every route, for every kind of person: a route that is not in the table fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

import httpx
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Mount

from docyard.store.people import create_link, get_or_create_user, set_role
from docyard.web.app import create_app
from docyard.web.context import Web
from tests.web.conftest import Town
from tests.web.visiting import BOUNDARY, Person, Shelf, multipart

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


def served(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """Every route, also those that newer versions of the framework keep inside their router."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield from (f"{method} {route.path}" for method in route.methods or ())
        elif isinstance(route, Mount):
            yield f"GET {route.path}"
        else:
            yield from served(getattr(route, "original_router").routes)  # noqa: B009 - it has no public type


def test_every_route_has_its_row(web: Web) -> None:
    assert set(served(create_app(web).routes)) == {row.route for row in TABLE}


def test_every_route_for_every_kind_of_person(town: Town, shelf: Shelf, workspace: UUID) -> None:
    given = {}
    for number, row in enumerate(TABLE):
        document = shelf.put_read(workspace, f"{number}.txt", f"The secret number {number}.")
        FACTS[document] = shelf.put_facts(workspace, document)
        FOLDERS[document] = shelf.put_into(workspace, document, f"Folder {number}")
        people = [town.person(kind) for kind in KINDS]
        given[row.route] = tuple(row.act(person, document).status_code for person in people)
    assert given == {row.route: row.answers for row in TABLE}


def test_another_workspace_leaks_nowhere(outsider: Person, shelf: Shelf, workspace: UUID) -> None:
    shelf.put_read(workspace, "mandate.txt", "The quarrelsome mandate of the harbour.")
    answers = [
        outsider.get(path).text
        for path in (
            "/",
            "/search?q=quarrelsome",
            "/api/v1/documents",
            "/api/v1/search?q=quarrelsome",
            "/documents/counts",
        )
    ]
    assert not [text for text in answers if "mandate" in text]


def test_a_session_moves_only_to_workspaces_of_its_person(
    town: Town, web: Web, shelf: Shelf, database: object, other_workspace: UUID
) -> None:
    viewer = town.person("viewer")
    assert viewer.post("/workspace", to=str(other_workspace)).status_code == 404
    assert isinstance(viewer.workspace_id, UUID)
    with shelf.database.transaction() as conn:
        user = get_or_create_user(conn, "viewer@example.org")
        set_role(conn, other_workspace, user, "editor")
    assert viewer.post("/workspace", to=str(other_workspace)).status_code == 303
    assert "Other" in viewer.get("/").text


def test_a_window_left_in_the_old_workspace_writes_nowhere(
    town: Town, shelf: Shelf, workspace: UUID, other_workspace: UUID
) -> None:
    editor = town.person("editor")
    with shelf.database.transaction() as conn:
        set_role(conn, other_workspace, get_or_create_user(conn, "editor@example.org"), "editor")
    editor.post("/workspace", to=str(other_workspace))
    body = multipart({"csrf": editor.csrf, "workspace": str(workspace)}, (("a.txt", b"for the old one"),))
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert editor.http.post("/documents", content=body, headers=kind).status_code == 409
    assert editor.get("/api/v1/documents").json()["documents"] == []


def test_an_address_that_is_none_is_not_found(editor: Person) -> None:
    for path in ("/documents/nonsense", "/api/v1/documents/1", "/documents/%00", "/nowhere"):
        assert editor.get(path).status_code == 404, path


def test_a_link_made_for_nobody_signs_nobody_in(town: Town, shelf: Shelf) -> None:
    with shelf.database.transaction() as conn:
        token = create_link(conn, get_or_create_user(conn, "lonely@example.org"))
    assert town.person("anonymous").post("/sign-in", token=token).status_code == 401
