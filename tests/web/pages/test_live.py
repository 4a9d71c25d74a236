"""Live events: to one's own workspace only, through database restarts, and never in the way of stopping."""

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
from tests.web.visiting import Person, Shelf, running, sign_in, visit


@contextmanager
def watching(person: Person) -> Iterator[queue.Queue[tuple[str, str]]]:
    """What a page is told while inside, as (event, data); ("over", "") when the stream ends."""
    heard: queue.Queue[tuple[str, str]] = queue.Queue()
    client = httpx.Client(base_url=person.site, cookies=person.http.cookies, timeout=30)

    def listen() -> None:
        # The server may go, or the test may be over; both end the stream.
        with suppress(httpx.TransportError), client, client.stream("GET", "/events") as response:
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data:"):
                    heard.put((name, line.removeprefix("data:").strip()))
                elif line.startswith(":"):
                    heard.put(("comment", line))
        heard.put(("over", ""))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert heard.get(timeout=10) == ("hello", str(person.workspace_id))
    yield heard


def next_event(heard: queue.Queue[tuple[str, str]]) -> tuple[str, str]:
    while True:
        event = heard.get(timeout=10)
        if event[0] != "comment":
            return event


def settled(heard: queue.Queue[tuple[str, str]], shelf: Shelf, workspace: UUID) -> None:
    """Wait until the stream listens: everything before may arrive as 'look at the list'."""
    marker = shelf.put(workspace, "marker.txt", b"marker of " + workspace.bytes)
    with shelf.database.transaction() as conn:
        start_attempt(conn, marker, "fetch")
    while next_event(heard) != ("document", str(marker)):
        pass


def test_a_change_reaches_its_own_workspace_and_no_other(
    editor: Person, outsider: Person, shelf: Shelf, workspace: UUID, other_workspace: UUID
) -> None:
    with watching(editor) as here, watching(outsider) as there:
        settled(here, shelf, workspace)
        settled(there, shelf, other_workspace)
        document = shelf.put(workspace, "secret.txt", b"secret")
        assert next_event(here) == ("list", "")
        with shelf.database.transaction() as conn:
            start_attempt(conn, document, "fetch")
        assert next_event(here) == ("document", str(document))
        foreign = shelf.put(other_workspace, "theirs.txt", b"theirs")
        with shelf.database.transaction() as conn:
            start_attempt(conn, foreign, "fetch")
        # Notices come in order, so theirs arriving shows that ours never did.
        assert {next_event(there), next_event(there)} == {("list", ""), ("document", str(foreign))}


def test_a_lost_listener_comes_back_and_asks_to_look_again(
    editor: Person, shelf: Shelf, workspace: UUID, database: Database
) -> None:
    with watching(editor) as heard:
        settled(heard, shelf, workspace)
        with database.transaction() as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN%%' AND datname = current_database()"
            )
        assert next_event(heard) == ("list", "")
        shelf.put(workspace, "later.txt", b"later")
        assert next_event(heard) == ("list", "")


def test_the_stream_ends_with_the_session(editor: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(events, "RECHECK_SECONDS", 0.1)
    with watching(editor) as heard:
        assert heard.get(timeout=10)[0] in ("comment", "list")
        editor.post("/sign-out")
        said = [next_event(heard)]
        while said[-1][0] == "list":
            said.append(next_event(heard))
        assert said[-1] == ("ended", "")
        assert next_event(heard) == ("over", "")


def test_an_open_stream_does_not_keep_the_server_from_stopping(
    web: Web, database: Database, workspace: UUID
) -> None:
    session = sign_in(database, "late@example.org", workspace, "viewer")
    with running(web) as site:
        person = visit(web, site, session)
        with person.http, watching(person) as heard:
            pass
        began = monotonic()
    assert monotonic() - began < 4
    while next_event(heard) != ("over", ""):
        pass


def test_a_slow_watcher_is_told_to_look_instead_of_everything() -> None:
    async def scene() -> tuple[list[str], list[str], list[str]]:
        subscription = Subscription(uuid4())
        nothing = await subscription.changes(0.01)
        for number in range(5000):
            subscription.offer(str(number % 150))
        many = await subscription.changes(1)
        subscription.offer("one")
        subscription.offer("one")
        return nothing, many, await subscription.changes(1)

    nothing, many, one = asyncio.run(scene())
    assert nothing == []
    assert WHOLE_LIST in many
    assert len(many) <= 101
    assert one == ["one"]
