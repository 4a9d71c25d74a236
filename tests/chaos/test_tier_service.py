"""Tests with real workers that uploads start soon and that jobs of the low tier are still served."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from tests.builders.pdf.pdfs import make_text_pdf
from tests.chaos.installation import ChaosInstallation, wait_for
from tests.chaos.instruments.checker import Findings, check
from tests.chaos.instruments.events import Event, install_recorder, read_events
from tests.chaos.lane_checks import check_bounded_wait

pytestmark = pytest.mark.chaos

BACKGROUND_DOCUMENTS, UPLOADS = 100, 3
# Maximum number of background jobs claimed before the last upload. Pending uploads get two of three claims,
# but only after workers have found the new lane.
MAX_PASSED_OVER = 15
LOW_JOBS, UPLOAD_JOBS = 60, 1000


@pytest.fixture(autouse=True)
def _record(database: Database) -> None:
    with database.transaction() as conn:
        queue.ensure_partitions(conn)
        install_recorder(conn)


def test_three_uploads_overtake_a_hundred_background_documents(scene: ChaosInstallation) -> None:
    scene.add_quick(BACKGROUND_DOCUMENTS, Tier.BACKGROUND)
    scene.start_worker(slots=2)
    wait_for(lambda: _have_ended(scene, 3), "some to end")
    pages = [[f"Upload {number}", "A user is waiting for it."] for number in range(UPLOADS)]
    uploads = [scene.add(f"upload-{number}.pdf", make_text_pdf(page)) for number, page in enumerate(pages)]
    scene.wait_all_ended()
    states = scene.fetch_row(
        "SELECT array_agg(DISTINCT status) AS s FROM documents WHERE id = ANY (%(ids)s)", ids=uploads
    )
    assert states == {"s": ["completed"]}
    events = list(read_events(scene.db))
    assert _count_passed_over(events) <= MAX_PASSED_OVER
    assert _count_ended_after_uploads(events) >= BACKGROUND_DOCUMENTS // 2


def _have_ended(scene: ChaosInstallation, count: int) -> bool:
    return bool(scene.fetch_row("SELECT count(*) >= %(n)s AS enough FROM job_history", n=count)["enough"])


def _count_passed_over(events: list[Event]) -> int:
    """Count background jobs that were claimed before the last upload by statements that saw all uploads."""
    arrivals = [event.xact for event in events if event.before is None and event.source == "jobs"]
    claims = [event for event in events if event.is_claim]
    last = max(event.id for event in claims if _is_upload(event))
    return sum(
        1
        for event in claims
        if event.id < last
        and not _is_upload(event)
        and event.seen is not None
        and all(event.seen.sees(xact) for xact in arrivals)
    )


def _count_ended_after_uploads(events: list[Event]) -> int:
    ends = [event for event in events if event.source == "job_history"]
    last = max(event.id for event in ends if _is_upload(event))
    return sum(1 for event in ends if event.id > last)


def _is_upload(event: Event) -> bool:
    return event.source in ("jobs", "job_history") and event.lane.tier == Tier.USER_UPLOAD


def test_low_jobs_are_served_despite_a_flood_of_uploads(scene: ChaosInstallation, other_workspace: UUID) -> None:
    _add_jobs(scene, scene.workspace, Tier.LOW, LOW_JOBS)
    _add_jobs(scene, other_workspace, Tier.USER_UPLOAD, UPLOAD_JOBS)
    for _ in range(2):
        scene.start("0", "--slots", "4", "--poll-interval", "0.3", module="tests.chaos.chaos_worker")

    def add_uploads_and_check() -> bool:
        _add_jobs(scene, other_workspace, Tier.USER_UPLOAD, 5)
        low = scene.fetch_row("SELECT count(*) AS n FROM jobs WHERE tier = %(tier)s", tier=int(Tier.LOW))
        return bool(low["n"] == 0)

    wait_for(add_uploads_and_check, "the low jobs to end")
    findings = check(read_events(scene.db))
    assert findings.rules() == {"still live at the end"}  # uploads are still pending
    _check_low_was_served(findings)


def _add_jobs(scene: ChaosInstallation, workspace: UUID, tier: Tier, count: int) -> None:
    with scene.db.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "extract", "count", tier=tier)] * count)


def _check_low_was_served(findings: Findings) -> None:
    claims = findings.claims["extract"]
    assert check_bounded_wait(claims, Tier.LOW, 10)[:1] == []
    while_low_waits = [claim for claim in claims if claim.backlog[Tier.LOW]]
    assert all(claim.backlog[Tier.USER_UPLOAD] for claim in while_low_waits)
    assert sum(claim.count_tier(Tier.LOW) for claim in while_low_waits) == LOW_JOBS
