"""Tests of transactions that someone leaves open: nothing else waits for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest

from tests.chaos.installation import ChaosInstallation, wait_for

pytestmark = pytest.mark.chaos
BY_VIEW = "UPDATE source_documents SET initial_processing_status = 'completed' WHERE document_uuid = ANY (%s)"
BY_ROW = "SELECT FROM documents WHERE id = ANY (%s) FOR UPDATE"
ATTEMPTS = """
SELECT max(attempts) AS most FROM (
    SELECT attempts, document_id FROM job_history UNION ALL SELECT attempts, document_id FROM dead_letters) j
WHERE document_id = ANY (%(ids)s)
"""


@contextmanager
def _leave_open(scene: ChaosInstallation, statement: str, documents: list[UUID]) -> Iterator[None]:
    """Run a statement on documents in a transaction that stays open, as in a forgotten psql session."""
    with psycopg.connect(scene.environ["DOCYARD_DATABASE_URL"]) as conn:
        conn.execute(statement.encode(), (documents,))
        yield
        conn.rollback()


def _all_completed(scene: ChaosInstallation, documents: list[UUID]) -> bool:
    query = "SELECT count(*) AS n FROM documents WHERE id = ANY (%(ids)s) AND status = 'completed'"
    return bool(scene.fetch_row(query, ids=documents)["n"] == len(documents))


@pytest.mark.parametrize("statement", [BY_VIEW, BY_ROW])
def test_locked_documents_do_not_stop_another_workspace(
    scene: ChaosInstallation, other_workspace: UUID, statement: str
) -> None:
    held = scene.add_quick(6)
    with _leave_open(scene, statement, held):
        scene.start_worker(slots=2)
        others = replace(scene, workspace=other_workspace).add_quick(6)
        wait_for(lambda: _all_completed(scene, others), "the documents of the other workspace", patience=60)
        assert not _all_completed(scene, held[:1])
    wait_for(lambda: _all_completed(scene, held), "the documents that were locked")
    assert scene.fetch_row(ATTEMPTS, ids=held) == {"most": 1}


@pytest.mark.parametrize("statement", [BY_VIEW, pytest.param(BY_ROW, marks=pytest.mark.long)])
def test_documents_locked_while_they_run_free_their_slots(
    scene: ChaosInstallation, other_workspace: UUID, statement: str
) -> None:
    held = [scene.add_slow(f"slow-{n}.pdf", pages=80) for n in range(2)]
    scene.start_worker(slots=2)
    wait_for(lambda: all(scene.in_stage(each, "extract") for each in held), "both slots to be in use")
    with _leave_open(scene, statement, held):
        others = replace(scene, workspace=other_workspace).add_quick(3)
        wait_for(lambda: _all_completed(scene, others), "the documents of the other workspace", patience=60)
        assert not any(_all_completed(scene, [each]) for each in held)
    wait_for(lambda: _all_completed(scene, held), "the documents that were locked")
    assert scene.fetch_row(ATTEMPTS, ids=held) == {"most": 1}
