"""Processing of documents without readers: prepared values are recorded in place of real stage outputs."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Failure
from docyard.model.document_types import KnownTypes
from docyard.model.documents import Document, NewDocument
from docyard.model.facts import Canonical, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.jobs import Lease
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import (
    Canonicalised,
    Chunk,
    Chunked,
    Classified,
    Extracted,
    Fetched,
    Fielded,
    Mentioned,
    Related,
)
from docyard.model.stages import Given
from docyard.model.text.pages import Page
from docyard.pipeline import step as steps
from docyard.queue import control
from docyard.stages import STAGES, stage
from docyard.store.documents import get_document, insert_document
from docyard.store.results import stage_results

PLACE = Span(1, 0, 5)
NAMED = Mention("organisation", PLACE, "words", "words", 0.9, "rule")
VALUES: dict[str, StageValue] = {
    "fetch": Fetched("text/plain", 5, sha256(b"words").hexdigest()),
    "extract": Extracted((Page(1, "words"),), notes=("A note.",)),
    "classify": Classified("Title", "en"),
    "chunk": Chunked((Chunk(0, 1, 0, 5, "words"),)),
    "fields": Fielded((FieldValue("party", "words", "words", 0.9, "rule", PLACE),)),
    "entities": Mentioned((NAMED,)),
    "canonicalise": Canonicalised((Canonical(NAMED, "words"),)),
    "relate": Related((Relation("party_to", EntityKey("organisation", "words"), None, PLACE, 0.9),)),
}
# The stages of a document without scans, in a workspace without an LLM connection.
ROAD = [each.name for each in STAGES if not (each.each_page or each.outside)]
AFTER_READING = ROAD[ROAD.index("extract") + 1 :]
# The values of the remaining stages are computed from those above.
_INPUTS = Given([KnownTypes(), *VALUES.values()], Limits())
VALUES.update((name, stage(name).run(_INPUTS)) for name in ROAD if name not in VALUES)


def arrive(database: Database, workspace: UUID, name: str = "a.txt") -> UUID:
    """Insert a document, which the trigger queues, and return its id."""
    digest = sha256(name.encode()).hexdigest()
    with database.transaction() as conn:
        new = NewDocument(workspace, name, "upload", digest, 5, f"{workspace}/{digest}")
        return insert_document(conn, new).document_id


def take_document(database: Database, worker: UUID) -> Lease:
    """Claim the only document job, regardless of its pool, a scheduled retry or an open breaker."""
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        queue.promote_due(conn)
        for pool in ROAD:
            control.close_breaker(conn, pool)
        (lease,) = [lease for pool in ROAD for lease in queue.claim(conn, pool, worker, 1)]
        return lease


def travel(database: Database, lease: Lease) -> Iterator[steps.Step]:
    """Run the job to its end; yield each step before its result is recorded."""
    with database.transaction() as conn:
        step = steps.begin(conn, lease)
    while step is not None:
        yield step
        with database.transaction() as conn:
            next_stage = steps.record(conn, lease, step, VALUES[step.stage.name], 1.0).next_stage
        step = steps.Step(step.document, next_stage) if next_stage else None


def travel_to(database: Database, lease: Lease, stage: str) -> steps.Step:
    """Run the job and stop before the result of this stage is recorded."""
    return next(step for step in travel(database, lease) if step.stage.name == stage)


def fail(database: Database, lease: Lease, failure: Failure) -> bool:
    """Settle a failure in its own transaction."""
    with database.transaction() as conn:
        return steps.fail(conn, lease, failure, 1.0)


def fail_for_good(database: Database, worker: UUID, stage: str, failure: Failure) -> None:
    """Fail the document at this stage until no attempt is left."""
    while True:
        lease = take_document(database, worker)
        travel_to(database, lease, stage)
        assert fail(database, lease, failure)
        with database.transaction() as conn:
            if not conn.execute("SELECT FROM jobs WHERE id = %s", (lease.job_id,)).fetchall():
                return


def finish(database: Database, worker: UUID) -> None:
    """Run the remaining stages of the queued document."""
    for _ in travel(database, take_document(database, worker)):
        pass


def look(conn: Connection, document_id: UUID) -> Document:
    return get_document(conn, document_id)


def outcomes(conn: Connection, document_id: UUID) -> dict[str, str]:
    """Return the outcome of each stage."""
    return {result.stage: result.outcome for result in stage_results(conn, document_id)}


def saved(conn: Connection, document_id: UUID) -> dict[str, list[dict[str, object]]]:
    """Return all rows about a document, by table."""
    tables = (
        *("documents", "stage_results", "pages", "chunks", "jobs", "job_history", "dead_letters"),
        *("field_values", "mentions", "relations"),
    )
    key = {"documents": "id"}
    return {
        table: conn.execute(
            f"SELECT * FROM {table} WHERE {key.get(table, 'document_id')} = %s ORDER BY 1, 2, 3".encode(),  # noqa: S608 (our own names)
            (document_id,),
        ).fetchall()
        for table in tables
    }
