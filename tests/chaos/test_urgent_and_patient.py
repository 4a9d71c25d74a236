"""Real workers under real loads: who is in a hurry comes soon, and who is not still comes."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard import queue
from docyard.db import Database
from docyard.model.jobs import NewJob
from docyard.model.tiers import Tier
from tests.chaos.instruments.checker import Findings, check
from tests.chaos.instruments.events import Event, read_events, record_everything
from tests.chaos.lanes import check_bounded_wait
from tests.chaos.scene import Scene, wait_for
from tests.making.pdf.pdfs import text_pdf

pytestmark = pytest.mark.chaos

WAITING, UPLOADS = 100, 3
# While three wait, two of three claims are theirs; the rest is how long a new lane may go unnoticed.
FEW = 15
PATIENT, FLOOD = 60, 1000


@pytest.fixture(autouse=True)
def _recorded(database: Database) -> None:
    with database.transaction() as conn:
        queue.ensure_partitions(conn)
        record_everything(conn)


def test_three_uploads_pass_a_hundred_background_documents(scene: Scene) -> None:
    scene.add_quick(WAITING, Tier.BACKGROUND)
    scene.worker(slots=2)
    wait_for(lambda: _ended(scene, 3), "some to end")
    pages = [[f"Upload {number}", "Somebody looks at the screen."] for number in range(UPLOADS)]
    uploads = [scene.add(f"upload-{number}.pdf", text_pdf(page)) for number, page in enumerate(pages)]
    scene.wait_all_ended()
    states = scene.row(
        "SELECT array_agg(DISTINCT status) AS s FROM documents WHERE id = ANY (%(ids)s)", ids=uploads
    )
    assert states == {"s": ["completed"]}
    events = list(read_events(scene.db))
    assert _passed_over(events) <= FEW
    assert _ended_after_the_uploads(events) >= WAITING // 2


def _ended(scene: Scene, count: int) -> bool:
    return bool(scene.row("SELECT count(*) >= %(n)s AS enough FROM job_history", n=count)["enough"])


def _passed_over(events: list[Event]) -> int:
    """How many background jobs were claimed, by statements that saw all uploads, before the last of these."""
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


def _ended_after_the_uploads(events: list[Event]) -> int:
    ends = [event for event in events if event.source == "job_history"]
    last = max(event.id for event in ends if _is_upload(event))
    return sum(1 for event in ends if event.id > last)


def _is_upload(event: Event) -> bool:
    return event.source in ("jobs", "job_history") and event.lane.tier == Tier.USER_UPLOAD


def test_low_work_goes_on_under_a_flood_of_uploads(scene: Scene, other_workspace: UUID) -> None:
    _pour(scene, scene.workspace, Tier.LOW, PATIENT)
    _pour(scene, other_workspace, Tier.USER_UPLOAD, FLOOD)
    for _ in range(2):
        scene.start("0", "--slots", "4", "--poll-interval", "0.3", module="tests.chaos.crew_worker")

    def flooded() -> bool:
        _pour(scene, other_workspace, Tier.USER_UPLOAD, 5)
        low = scene.row("SELECT count(*) AS n FROM jobs WHERE tier = %(tier)s", tier=int(Tier.LOW))
        return bool(low["n"] == 0)

    wait_for(flooded, "the low jobs to end")
    findings = check(read_events(scene.db))
    assert findings.rules() == {"still live at the end"}  # the flood goes on
    _check_that_low_was_served(findings)


def _pour(scene: Scene, workspace: UUID, tier: Tier, count: int) -> None:
    with scene.db.transaction() as conn:
        queue.enqueue(conn, [NewJob(workspace, "extract", "count", tier=tier)] * count)


def _check_that_low_was_served(findings: Findings) -> None:
    claims = findings.claims["extract"]
    assert check_bounded_wait(claims, Tier.LOW, 10)[:1] == []
    while_low_waits = [claim for claim in claims if claim.backlog[Tier.LOW]]
    assert all(claim.backlog[Tier.USER_UPLOAD] for claim in while_low_waits)
    assert sum(claim.of(Tier.LOW) for claim in while_low_waits) == PATIENT
