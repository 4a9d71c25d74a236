"""Processing of documents without readers: prepared values are recorded instead of real stage outputs."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

from docyard import queue
from docyard.db import Connection, Database
from docyard.errors import Failure
from docyard.model.document_types import WorkspaceTypes
from docyard.model.documents import Document, NewDocument
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.jobs import Lease
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stage_values import (
    CanonicalMentions,
    Chunk,
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
from docyard.queue import control
from docyard.stages import STAGES, get_stage
from docyard.store.documents import get_document, insert_document
from docyard.store.results import load_stage_results

SPAN = Span(1, 0, 5)
MENTION = Mention("organisation", SPAN, "words", "words", 0.9, "rule")
VALUES: dict[str, StageValue] = {
    "fetch": FetchedFile("text/plain", 5, sha256(b"words").hexdigest()),
    "extract": ExtractedText((Page(1, "words"),), notes=("A note.",)),
    "classify": Classification("Title", "en"),
    "chunk": DocumentChunks((Chunk(0, 1, 0, 5, "words"),)),
    "fields": DocumentFields((FieldValue("party", "words", "words", 0.9, "rule", SPAN),)),
    "entities": DocumentMentions((MENTION,)),
    "canonicalise": CanonicalMentions((CanonicalMention(MENTION, "words"),)),
    "relate": DocumentRelations((Relation("party_to", EntityKey("organisation", "words"), None, SPAN, 0.9),)),
}
# The stages of a document without scans, in a workspace without an LLM connection.
STAGE_NAMES = [each.name for each in STAGES if not (each.per_page or each.runs_in_worker)]
STAGES_AFTER_EXTRACT = STAGE_NAMES[STAGE_NAMES.index("extract") + 1 :]
# The values of the remaining stages are computed from those above.
_INPUTS = StageInput([WorkspaceTypes(), *VALUES.values()], Limits())
VALUES.update((name, get_stage(name).run(_INPUTS)) for name in STAGE_NAMES if name not in VALUES)


def arrive(database: Database, workspace: UUID, name: str = "a.txt") -> UUID:
    """Insert a document, which a trigger queues, and return its id."""
    digest = sha256(name.encode()).hexdigest()
    with database.transaction() as conn:
        new = NewDocument(workspace, name, "upload", digest, 5, f"{workspace}/{digest}")
        return insert_document(conn, new).document_id


def claim_document_job(database: Database, worker: UUID) -> Lease:
    """Claim the only document job in the pools STAGE_NAMES, even if it is not due or a breaker is open."""
    with database.transaction() as conn:
        conn.execute("UPDATE jobs SET run_at = now() WHERE state = 'scheduled'")
        queue.promote_due(conn)
        for pool in STAGE_NAMES:
            control.close_breaker(conn, pool)
        (lease,) = [lease for pool in STAGE_NAMES for lease in queue.claim(conn, pool, worker, 1)]
        return lease


def run_stages(database: Database, lease: Lease) -> Iterator[steps.Step]:
    """Run the job to its end; yield each step before its result is recorded."""
    with database.transaction() as conn:
        step = steps.begin(conn, lease)
    while step is not None:
        yield step
        with database.transaction() as conn:
            next_stage = steps.record(conn, lease, step, VALUES[step.stage.name], 1.0).next_stage
        step = steps.Step(step.document, next_stage) if next_stage else None


def run_until(database: Database, lease: Lease, stage: str) -> steps.Step:
    """Run the job up to this stage, and return the step before its result is recorded."""
    return next(step for step in run_stages(database, lease) if step.stage.name == stage)


def fail(database: Database, lease: Lease, failure: Failure) -> bool:
    """Settle a failure in its own transaction."""
    with database.transaction() as conn:
        return steps.fail(conn, lease, failure, 1.0)


def fail_permanently(database: Database, worker: UUID, stage: str, failure: Failure) -> None:
    """Fail the document at this stage until no attempt is left."""
    while True:
        lease = claim_document_job(database, worker)
        run_until(database, lease, stage)
        assert fail(database, lease, failure)
        with database.transaction() as conn:
            if not conn.execute("SELECT FROM jobs WHERE id = %s", (lease.job_id,)).fetchall():
                return


def finish(database: Database, worker: UUID) -> None:
    """Run the queued document job to its end."""
    for _ in run_stages(database, claim_document_job(database, worker)):
        pass


def load_document(conn: Connection, document_id: UUID) -> Document:
    return get_document(conn, document_id)


def list_outcomes(conn: Connection, document_id: UUID) -> dict[str, str]:
    """Return the outcome of each stage."""
    return {result.stage: result.outcome for result in load_stage_results(conn, document_id)}


def load_rows(conn: Connection, document_id: UUID) -> dict[str, list[dict[str, object]]]:
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
