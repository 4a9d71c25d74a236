"""Access to every route by every kind of user, and isolation of workspaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Mount

from docyard.store.users import get_or_create_user, set_role
from docyard.web.app import create_app
from docyard.web.context import Web
from tests.web.conftest import Users
from tests.web.route_table import FACTS, FOLDERS, KINDS, TABLE
from tests.web.site import BOUNDARY, Client, Library, multipart


def list_routes(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """Yield every route, including those that newer FastAPI versions keep in a nested router."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield from (f"{method} {route.path}" for method in route.methods or ())
        elif isinstance(route, Mount):
            yield f"GET {route.path}"
        else:
            yield from list_routes(getattr(route, "original_router").routes)  # noqa: B009 - it has no public type


def test_every_route_is_in_the_table(web: Web) -> None:
    assert set(list_routes(create_app(web).routes)) == {row.route for row in TABLE}


def test_every_route_answers_each_kind_of_user_as_listed(town: Users, shelf: Library, workspace: UUID) -> None:
    actual = {}
    for number, row in enumerate(TABLE):
        document = shelf.add_processed(workspace, f"{number}.txt", f"The secret number {number}.")
        FACTS[document] = shelf.add_facts(workspace, document)
        FOLDERS[document] = shelf.move_to_folder(workspace, document, f"Folder {number}")
        people = [town.person(kind) for kind in KINDS]
        actual[row.route] = tuple(row.act(person, document).status_code for person in people)
    assert actual == {row.route: row.answers for row in TABLE}


def test_no_page_shows_documents_of_another_workspace(outsider: Client, shelf: Library, workspace: UUID) -> None:
    shelf.add_processed(workspace, "mandate.txt", "The quarrelsome mandate of the harbour.")
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


def test_session_switches_only_to_workspaces_of_its_user(
    town: Users, web: Web, shelf: Library, database: object, other_workspace: UUID
) -> None:
    viewer = town.person("viewer")
    assert viewer.post("/workspace", to=str(other_workspace)).status_code == 404
    assert isinstance(viewer.workspace_id, UUID)
    with shelf.database.transaction() as conn:
        user = get_or_create_user(conn, "viewer@example.org")
        set_role(conn, other_workspace, user, "editor")
    assert viewer.post("/workspace", to=str(other_workspace)).status_code == 303
    assert "Other" in viewer.get("/").text


def test_window_of_the_previous_workspace_cannot_upload(
    town: Users, shelf: Library, workspace: UUID, other_workspace: UUID
) -> None:
    editor = town.person("editor")
    with shelf.database.transaction() as conn:
        set_role(conn, other_workspace, get_or_create_user(conn, "editor@example.org"), "editor")
    editor.post("/workspace", to=str(other_workspace))
    body = multipart({"csrf": editor.csrf, "workspace": str(workspace)}, (("a.txt", b"for the old one"),))
    kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    assert editor.http.post("/documents", content=body, headers=kind).status_code == 409
    assert editor.get("/api/v1/documents").json()["documents"] == []


def test_malformed_addresses_answer_404(editor: Client) -> None:
    for path in ("/documents/nonsense", "/api/v1/documents/1", "/documents/%00", "/nowhere"):
        assert editor.get(path).status_code == 404, path
