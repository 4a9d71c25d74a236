"""A running site, its users and its documents."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from uuid import UUID

import httpx

from docyard.db import Database
from docyard.intake import Arrival, receive
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.stage_values import Chunk, Classification, ExtractedText, FetchedFile
from docyard.model.text.pages import Page
from docyard.store import documents, facts, folders, results, users
from docyard.store.fields import list_fields
from docyard.store.graph import entities
from docyard.web.context import Web
from docyard.web.identity import cookie_name
from docyard.web.server import WebServer, listen

BOUNDARY = "frontier"


@contextmanager
def run_site(web: Web) -> Iterator[str]:
    """Run the site on a free port and yield its URL."""
    server = WebServer(web)
    with listen("127.0.0.1", 0) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)
            assert not thread.is_alive()


def wait_until(holds: object, seconds: float = 10.0) -> None:
    """Wait until a condition is true; fail after `seconds`."""
    assert callable(holds)
    end = monotonic() + seconds
    while not holds():
        assert monotonic() < end, "timeout"
        sleep(0.01)


@dataclass
class Client:
    """An HTTP client of a user, signed in or not."""

    site: str
    http: httpx.Client
    csrf: str = ""
    workspace_id: UUID | None = None

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self.http.get(path, headers=headers)

    def post(self, path: str, **fields: str) -> httpx.Response:
        """Send a form with the CSRF token."""
        return self.http.post(path, data={"csrf": self.csrf, **fields})

    def call(self, method: str, path: str, **headers: str) -> httpx.Response:
        """Send a request with the CSRF token in a header, as scripts do."""
        return self.http.request(method, path, headers={"X-CSRF-Token": self.csrf, **headers})

    def upload(self, *files: tuple[str, bytes], path: str = "/api/v1/documents") -> httpx.Response:
        """Upload files with the CSRF token in a header."""
        headers = {"X-CSRF-Token": self.csrf, "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        return self.http.post(path, content=multipart(files=files), headers=headers)


def open_client(web: Web, site: str, session: str | None) -> Client:
    """Return a client with this session; None means not signed in."""
    http = httpx.Client(base_url=site, timeout=20, cookies={cookie_name(web): session} if session else None)
    if session is None:
        return Client(site, http)
    with web.db.transaction() as conn:
        identity = users.get_identity(conn, session)
    assert identity
    return Client(site, http, identity.csrf_token, identity.workspace_id)


def sign_in(database: Database, email: str, workspace_id: UUID, role: str) -> str:
    """Return a new session of a user with this role."""
    with database.transaction() as conn:
        user = users.get_or_create_user(conn, email)
        users.set_role(conn, workspace_id, user, role)
        session = users.redeem_link(conn, users.create_link(conn, user))
    assert session
    return session


def multipart(fields: dict[str, str] | None = None, files: tuple[tuple[str, bytes], ...] = ()) -> bytes:
    """Return a multipart body as browsers send it, with file names as raw bytes."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (fields or {}).items()
    ]
    for name, data in files:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
        parts.append(head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + data + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


@dataclass(frozen=True)
class Library:
    """A helper that adds documents and facts to a workspace, as intake and workers do."""

    web: Web
    database: Database

    def add_document(self, workspace_id: UUID, name: str, data: bytes) -> UUID:
        """Add a new document."""
        arrival = Arrival(workspace_id=workspace_id, name=name, source="upload")
        return receive(self.database, self.web.blobs, self.web.limits, arrival, [data]).document_id

    def add_processed(self, workspace_id: UUID, name: str, text: str, title: str | None = "A title") -> UUID:
        """Add a completely processed text document."""
        document_id = self.add_document(workspace_id, name, text.encode())
        with self.database.transaction() as conn:
            size = len(text.encode())
            results.save_fetched(conn, document_id, FetchedFile("text/plain", size, "0" * 64))
            results.save_extracted(conn, document_id, workspace_id, ExtractedText((Page(1, text),)))
            results.save_classified(conn, document_id, Classification(title, "en"))
            results.save_chunks(conn, document_id, workspace_id, [Chunk(0, 1, 0, len(text), text)], "en")
            documents.mark_completed(conn, document_id, 1.0)
            conn.execute("DELETE FROM jobs WHERE document_id = %s", (document_id,))
        return document_id

    def move_to_folder(self, workspace_id: UUID, document_id: UUID, folder: str) -> UUID:
        """Move a document to a folder and return the folder."""
        with self.database.transaction() as conn:
            moved = folders.move_document(conn, workspace_id, document_id, folder)
        assert moved
        return moved

    def add_facts(self, workspace_id: UUID, document_id: UUID) -> dict[str, object]:
        """Add two mentions, a relation and a field to a document; return their ids."""
        mentions = [
            CanonicalMention(Mention("person", Span(1, at, at + 3), text, text, 0.9, "rule"), text.lower())
            for at, text in ((0, "The"), (4, "sec"))
        ]
        party = Relation("party_to", EntityKey("person", "the"), None, Span(1, 0, 3), 0.9)
        with self.database.transaction() as conn:
            document = documents.get_document(conn, document_id)
            facts.save_mentions(conn, document, [each.mention for each in mentions])
            facts.save_canonical_mentions(conn, document, mentions)
            facts.save_relations(conn, document, [party], [])
            facts.save_fields(conn, document, [FieldValue("party", "The", "The", 0.9, "rule", Span(1, 0, 3))])
            (field,) = list_fields(conn, document_id)
            mention = entities.list_document_mentions(conn, document_id)[0].id
            relation = entities.list_document_relations(conn, document_id)[0].id
        one, other = (facts.entity_id(workspace_id, EntityKey("person", key)) for key in ("the", "sec"))
        return {"one": one, "other": other, "mention": mention, "relation": relation, "field": field.id}


def hidden_fields(page: str) -> dict[str, str]:
    """Return the hidden fields of all forms on a page."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
