"""Live events: isolation of workspaces, reconnection and shutdown."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from uuid import UUID, uuid4

import httpx
import pytest

from docyard.db import Database
from docyard.store.documents import start_attempt
from docyard.web import events
from docyard.web.context import Web
from docyard.web.live import WHOLE_LIST, Subscription
from tests.web.site import Client, Library, open_client, run_site, sign_in


@contextmanager
def watch(person: Client) -> Iterator[queue.Queue[tuple[str, str]]]:
    """Yield a queue of received (event, data) pairs; ("over", "") marks the end of the stream."""
    inbox: queue.Queue[tuple[str, str]] = queue.Queue()
    client = httpx.Client(base_url=person.site, cookies=person.http.cookies, timeout=30)

    def listen() -> None:
        # The stream also ends when the server stops or the test is over.
        with suppress(httpx.TransportError), client, client.stream("GET", "/events") as response:
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data:"):
                    inbox.put((name, line.removeprefix("data:").strip()))
                elif line.startswith(":"):
                    inbox.put(("comment", line))
        inbox.put(("over", ""))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert inbox.get(timeout=10) == ("hello", str(person.workspace_id))
    yield inbox


def next_event(inbox: queue.Queue[tuple[str, str]]) -> tuple[str, str]:
    while True:
        event = inbox.get(timeout=10)
        if event[0] != "comment":
            return event


def wait_for_stream(inbox: queue.Queue[tuple[str, str]], shelf: Library, workspace: UUID) -> None:
    """Wait until the stream receives changes of single documents; earlier changes may arrive as 'list'."""
    marker = shelf.add_document(workspace, "marker.txt", b"marker of " + workspace.bytes)
    with shelf.database.transaction() as conn:
        start_attempt(conn, marker, "fetch")
    while next_event(inbox) != ("document", str(marker)):
        pass


def test_change_reaches_only_its_workspace(
    editor: Client, outsider: Client, shelf: Library, workspace: UUID, other_workspace: UUID
) -> None:
    with watch(editor) as here, watch(outsider) as there:
        wait_for_stream(here, shelf, workspace)
        wait_for_stream(there, shelf, other_workspace)
        document = shelf.add_document(workspace, "secret.txt", b"secret")
        assert next_event(here) == ("list", "")
        with shelf.database.transaction() as conn:
            start_attempt(conn, document, "fetch")
        assert next_event(here) == ("document", str(document))
        foreign = shelf.add_document(other_workspace, "theirs.txt", b"theirs")
        with shelf.database.transaction() as conn:
            start_attempt(conn, foreign, "fetch")
        # Events arrive in order, so the outsider has received no event of the main workspace.
        assert {next_event(there), next_event(there)} == {("list", ""), ("document", str(foreign))}


def test_listener_reconnects_and_requests_a_reload(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    with watch(editor) as inbox:
        wait_for_stream(inbox, shelf, workspace)
        with database.transaction() as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN%%' AND datname = current_database()"
            )
        assert next_event(inbox) == ("list", "")
        shelf.add_document(workspace, "later.txt", b"later")
        assert next_event(inbox) == ("list", "")


def test_stream_ends_with_the_session(editor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(events, "RECHECK_SECONDS", 0.1)
    with watch(editor) as inbox:
        assert inbox.get(timeout=10)[0] in ("comment", "list")
        editor.post("/sign-out")
        received = [next_event(inbox)]
        while received[-1][0] == "list":
            received.append(next_event(inbox))
        assert received[-1] == ("ended", "")
        assert next_event(inbox) == ("over", "")


def test_open_stream_does_not_delay_shutdown(web: Web, database: Database, workspace: UUID) -> None:
    session = sign_in(database, "late@example.org", workspace, "viewer")
    with run_site(web) as site:
        person = open_client(web, site, session)
        with person.http, watch(person) as inbox:
            pass
        began = monotonic()
    assert monotonic() - began < 4
    while next_event(inbox) != ("over", ""):
        pass


def test_slow_client_gets_one_reload_instead_of_all_changes() -> None:
    async def collect() -> tuple[list[str], list[str], list[str]]:
        subscription = Subscription(uuid4())
        nothing = await subscription.changes(0.01)
        for number in range(5000):
            subscription.add(str(number % 150))
        many = await subscription.changes(1)
        subscription.add("one")
        subscription.add("one")
        return nothing, many, await subscription.changes(1)

    nothing, many, one = asyncio.run(collect())
    assert nothing == []
    assert WHOLE_LIST in many
    assert len(many) <= 101
    assert one == ["one"]
