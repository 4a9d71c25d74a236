"""A document whose fields users decide on while its stages run in the pipeline, without child processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from docyard import queue
from docyard.db import Database
from docyard.facts.resolution.keys import make_entity_key
from docyard.intake import Arrival, receive
from docyard.model.facts import CanonicalMention, FieldValue, Mention, Span, StoredField
from docyard.model.jobs import Lease
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import (
    CanonicalMentions,
    Classification,
    DocumentChunks,
    DocumentFields,
    DocumentMentions,
    DocumentRelations,
    ExtractedText,
    FetchedFile,
)
from docyard.model.stages import StageInput
from docyard.model.text.pages import Page
from docyard.pipeline import step as steps
from docyard.pipeline.children.tasks import run_stage
from docyard.pipeline.field_edits import lock_for_edit
from docyard.pipeline.reruns import redo_stages, retry_document
from docyard.pipeline.run import Pipeline, run_document
from docyard.pipeline.storage.values import load
from docyard.stages import STAGES, relate
from docyard.store.blobs import FolderBlobs
from docyard.store.documents import get_document
from docyard.store.fields import add_field, correct_field, decide_field, list_fields
from tests.facts.sample_documents import read_fields
from tests.queue.queue_workers import register_worker_committed

TEXT = """Invoice 2026-17

Seller: Northgate Supplies GmbH
Bill to: Harbour Works Ltd
Date: 2026-03-02

Northgate Supplies GmbH asks Harbour Works Ltd and Quay Partners Ltd for payment. Jane Doe knows.

Total: 120.50
"""
NAMES = ("Northgate Supplies GmbH", "Harbour Works Ltd", "Quay Partners Ltd")
PAGES = (Page(1, TEXT),)
POOLS = [stage.name for stage in STAGES]


def _mentions() -> list[Mention]:
    offsets = [(name, TEXT.find(name), TEXT.rfind(name)) for name in NAMES]
    return [
        Mention("organisation", Span(1, at, at + len(name)), name, name, 0.9, "rule")
        for name, *both in offsets
        for at in sorted(set(both))
    ]


def _values() -> dict[str, StageValue]:
    mentions = tuple(_mentions())
    named = tuple(CanonicalMention(each, make_entity_key(each.kind, each.normal)) for each in mentions)
    return {
        "fetch": FetchedFile("text/plain", len(TEXT), "0" * 64),
        "extract": ExtractedText(PAGES),
        "classify": Classification("Invoice 2026-17", "en", type="invoice", type_confidence=0.9),
        "chunk": DocumentChunks(()),
        "fields": DocumentFields(read_fields("invoice", PAGES, "en")),
        "entities": DocumentMentions(mentions),
        "canonicalise": CanonicalMentions(named),
    }


class StageRunner:
    """A child pool that runs stages in this process and calls the functions in `meanwhile` during a stage."""

    def __init__(self) -> None:
        self.meanwhile: list[Callable[[], object]] = []
        self.ran: list[str] = []
        self.types: list[str | None] = []  # document types passed to relate

    def call(self, _task: object, name: str, inputs: StageInput, **_limits: object) -> StageValue:
        self.ran.append(name)
        if name == "relate":
            self.types.append(inputs.get(Classification).type)
        value = _values().get(name) or run_stage(name, inputs)
        while self.meanwhile:
            self.meanwhile.pop()()
        return value


class Invoice:
    """A processed document, and the actions of users and workers on it."""

    def __init__(self, database: Database, web: Database, blobs: FolderBlobs, workspace: UUID) -> None:
        self.db, self.web, self.workspace, self.runner = database, web, workspace, StageRunner()
        self.pipeline = Pipeline(database, blobs, self.runner, Limits())  # type: ignore[arg-type]
        self.worker = register_worker_committed(database)
        arrival = Arrival(workspace, "invoice.txt", "upload")
        self.id = receive(database, blobs, Limits(), arrival, [TEXT.encode()]).document_id
        self.work()

    def work(self) -> int:
        """Run all jobs; return their number."""
        count = 0
        while lease := self.claim():
            run_document(self.pipeline, lease, lambda: False)
            count += 1
        return count

    def claim(self) -> Lease | None:
        with self.db.transaction() as conn:
            found = (lease for pool in POOLS for lease in queue.claim(conn, pool, self.worker, 1))
            return next(found, None)

    def stored_fields(self) -> list[StoredField]:
        with self.db.transaction() as conn:
            return list(list_fields(conn, self.id))

    def field(self, name: str) -> StoredField:
        return next(each for each in self.stored_fields() if each.name == name)

    def decide(self, number: int, state: str) -> None:
        with self.web.transaction(self.workspace) as conn, lock_for_edit(conn, self.id):
            decide_field(conn, number, state, "ann@example.org")

    def correct(self, number: int, value: str) -> None:
        with self.web.transaction(self.workspace) as conn, lock_for_edit(conn, self.id):
            correct_field(conn, number, value, value, "ann@example.org")

    def add(self, name: str, value: str) -> None:
        with self.web.transaction(self.workspace) as conn, lock_for_edit(conn, self.id) as document:
            add_field(conn, document, FieldValue(name, value, value, 1.0, "person"), "ann@example.org")

    def rerun(self, stage: str) -> None:
        """Rerun a stage and those that depend on it."""
        with self.db.transaction() as conn:
            queue.lock_document(conn, self.id)
            redo_stages(conn, get_document(conn, self.id), [stage])
            retry_document(conn, self.id)

    def rows(self, query: str) -> list[dict[str, Any]]:
        with self.db.transaction() as conn:
            return conn.execute(query.encode()).fetchall()

    def stored_relations(self) -> set[tuple[str, str, str]]:
        """Return the stored relations, with the keys of both entities."""
        found = self.rows(
            "SELECT r.type, f.key AS one, coalesce(t.key, '') AS other FROM relations r"
            " JOIN entities f ON f.id = r.from_entity LEFT JOIN entities t ON t.id = r.to_entity"
        )
        return {(row["type"], row["one"], row["other"]) for row in found}

    def expected_relations(self) -> set[tuple[str, str, str]]:
        """Return the relations that result from the current fields."""
        with self.db.transaction() as conn:
            values = load(conn, get_document(conn, self.id), relate.STAGE.inputs)
        value = relate.run(StageInput(values, Limits()))
        assert isinstance(value, DocumentRelations)
        return {(each.type, each.source.key, each.target.key if each.target else "") for each in value.relations}

    def field_mentions(self) -> set[str]:
        """Return the texts of the mentions made from fields."""
        return {row["text"] for row in self.rows("SELECT text FROM mentions WHERE of_field IS NOT NULL")}

    def begin(self) -> tuple[Lease, steps.Step]:
        """Claim the job and begin its stage, without finishing it."""
        lease = self.claim()
        assert lease
        with self.db.transaction() as conn:
            step = steps.begin(conn, lease)
        assert step
        return lease, step
