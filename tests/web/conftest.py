"""A running site with two workspaces and users of each role."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from uuid import UUID

import pytest

from docyard.db import Database
from docyard.inference.embedding import embed, find_model
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.search import embed_query
from docyard.store import embeddings
from docyard.store.blobs import FolderBlobs
from docyard.store.users import set_operator
from docyard.store.word_counts import fold_text_changes
from docyard.web import live
from docyard.web.context import Web
from tests.builders.llm_connections import CIPHER
from tests.web.site import Client, Library, open_client, run_site, sign_in

WALRUS = "The walrus is a large marine mammal with long tusks that lives on ice."
INVOICE = "Invoice number seven: four office chairs and a table, payable within thirty days."


@pytest.fixture
def web(
    web_database: Database, blobs: FolderBlobs, limits: Limits, children: ChildPool, monkeypatch: pytest.MonkeyPatch
) -> Web:
    """The services of the site."""
    monkeypatch.setattr(live, "_POLL_SECONDS", 0.05)  # lets the listener stop quickly
    hosts = ("127.0.0.1", "localhost")
    return Web(web_database, blobs, limits, children, hosts, secure_cookies=False, seal=CIPHER)


@pytest.fixture
def site(web: Web) -> Iterator[str]:
    """The address of the running site."""
    with run_site(web) as address:
        yield address


class Users:
    """A factory for users of every kind, each with a new session."""

    def __init__(self, web: Web, site: str, database: Database, home: UUID, away: UUID) -> None:
        self._web, self._site, self._database = web, site, database
        self._workspaces = {"viewer": home, "editor": home, "admin": home, "outsider": away, "operator": away}
        self._open = ExitStack()

    def person(self, kind: str) -> Client:
        """Return the client of a user; outsider and operator are editors of the other workspace."""
        session = None
        if kind != "anonymous":
            role = "editor" if kind in ("outsider", "operator") else kind
            session = sign_in(self._database, f"{kind}@example.org", self._workspaces[kind], role)
        if kind == "operator":
            with self._database.transaction() as conn:
                set_operator(conn, "operator@example.org", operator=True)
        person = open_client(self._web, self._site, session)
        self._open.enter_context(person.http)
        return person

    def close(self) -> None:
        """Close the HTTP clients of all users."""
        self._open.close()


@pytest.fixture
def town(web: Web, site: str, database: Database, workspace: UUID, other_workspace: UUID) -> Iterator[Users]:
    """A factory for the users of a test."""
    made = Users(web, site, database, workspace, other_workspace)
    yield made
    made.close()


@pytest.fixture
def editor(town: Users) -> Client:
    """An editor of the main workspace."""
    return town.person("editor")


@pytest.fixture
def viewer(town: Users) -> Client:
    """A viewer of the main workspace."""
    return town.person("viewer")


@pytest.fixture
def outsider(town: Users) -> Client:
    """An editor of the other workspace."""
    return town.person("outsider")


@pytest.fixture
def operator(town: Users) -> Client:
    """An operator who is a member of the other workspace only."""
    return town.person("operator")


@pytest.fixture
def shelf(web: Web, database: Database) -> Library:
    """A helper that adds documents to workspaces."""
    return Library(web, database)


@pytest.fixture
def read(shelf: Library, workspace: UUID, database: Database) -> tuple[UUID, UUID]:
    """Two processed documents with word counts; the first has a tag."""
    made = (
        shelf.add_processed(workspace, "walrus.txt", WALRUS, "Walrus"),
        shelf.add_processed(workspace, "invoice.txt", INVOICE, "Invoice"),
    )
    with database.transaction() as conn:
        fold_text_changes(conn, 100)
        conn.execute("UPDATE documents SET tags = '{zoo}' WHERE name = 'walrus.txt'")
    return made


@pytest.fixture
def knowing(web: Web, database: Database, workspace: UUID, read: tuple[UUID, UUID], limits: Limits) -> Iterator[Client]:
    """A viewer of a site with semantic search."""
    model = find_model()
    assert model
    with database.transaction() as conn:
        number = embeddings.ensure_model(conn, model.name, model.fingerprint, model.dims)
        for document in read:
            missing = embeddings.list_unembedded_chunks(conn, document, number, 9)
            vectors = embed(model.folder, [text for _, text in missing])
            embeddings.save_embeddings(conn, number, [chunk for chunk, _ in missing], vectors)
    session = sign_in(database, "viewer@example.org", workspace, "viewer")
    with ChildPool(1, limits) as embedder:
        assert embed_query(embedder, "ready", patience=120), "the model is loaded before the first search"
        knowing_web = replace(web, embedder=embedder)
        with run_site(knowing_web) as site, (person := open_client(knowing_web, site, session)).http:
            yield person
