"""`docyard queue`: show jobs, tiers, pools, workers, and failed or stuck documents; reset failed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC

import click

from docyard import queue
from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option
from docyard.cli.output import print_json, print_table
from docyard.queue import monitor
from docyard.queue.monitor.advice import format_duration
from docyard.settings import Settings


@click.group("queue")
def queue_group() -> None:
    """Show the state of the queue, and reset failed documents."""


@queue_group.command()
@json_option
@click.pass_obj
def status(settings: Settings, as_json: bool) -> None:
    """Show documents, jobs, dead letters, tiers, workers and success rates.

    Documents, jobs and dead letters are counted when the command runs. Success rates come from the latest
    sample that a worker took, like those of the Operations page. A document that waits for a retry is pending,
    as on the pages; the SQL views show it as failed.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        documents = monitor.count_documents(conn)
        waiting = monitor.count_documents_waiting_for_retry(conn)
        sampled = monitor.get_latest_sample(conn)
        overview = monitor.collect_overview(conn, monitor.count_backlog(conn))
    if as_json:
        print_json(_make_status(overview, documents, waiting, sampled))
    else:
        _print_status(overview, documents, waiting)
        click.echo(_format_success(overview.success))


@queue_group.command()
@json_option
@click.pass_obj
def tiers(settings: Settings, as_json: bool) -> None:
    """Show the guaranteed share and the jobs of each tier."""
    found = _read_overview(settings).tiers
    print_json([asdict(tier) for tier in found]) if as_json else _print_tiers(found)


@queue_group.command()
@json_option
@click.pass_obj
def workers(settings: Settings, as_json: bool) -> None:
    """List workers with their last heartbeat.

    Stopped and lost workers are listed for one hour.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        found = monitor.list_workers(conn)
    print_json([asdict(worker) for worker in found]) if as_json else _print_workers(found)


@queue_group.command()
@json_option
@click.pass_obj
def pools(settings: Settings, as_json: bool) -> None:
    """Show the jobs, limits and circuit breaker of each pool."""
    found = _read_overview(settings).pools
    if as_json:
        return print_json([asdict(pool) for pool in found])
    columns = (
        "Pool",
        "Resource",
        "Paused",
        "Max running",
        "Max per second",
        "Pending",
        "Scheduled",
        "Running",
        "Breaker",
    )
    rows = [(p.name, p.resource, "yes" if p.paused else "", p.max_running, p.rate_per_second) for p in found]
    counts = [(p.pending, p.scheduled, p.running, _format_breaker(p)) for p in found]
    return print_table(columns, [row + count for row, count in zip(rows, counts, strict=True)], "No pools.")


@queue_group.command()
@click.option(
    "--minutes",
    type=click.IntRange(1),
    default=60,
    show_default=True,
    help="Minutes without progress after which a document is listed.",
)
@json_option
@click.pass_obj
def stuck(settings: Settings, minutes: int, as_json: bool) -> None:
    """List stuck documents, as the view `stuck_documents` does.

    A document is stuck if it has not changed for an hour and has not ended, or has failed although a reset
    can revive it. The exit code is 1 if there are any.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        lines = monitor.find_stuck_documents(conn, seconds=minutes * 60.0)
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        columns = ("Document", "Name", "Status", "Stage", "Job", "Attempts", "Unchanged for", "Reason")
        rows = [
            (s.id, s.name, s.status, s.stage, s.job, s.attempts, f"{s.silent_seconds:.0f} s", s.reason) for s in lines
        ]
        print_table(columns, rows, "No document is stuck.")
    if lines:
        raise SystemExit(1)


@queue_group.command()
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Maximum number of documents."
)
@json_option
@click.pass_obj
def failed(settings: Settings, limit: int, as_json: bool) -> None:
    """List failed documents with their reasons, newest first."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        lines = monitor.find_failed_documents(conn, limit)
    if as_json:
        return print_json([asdict(line) for line in lines])
    rows = [(f.id, f.name, f.category, f.reason, f"{f.completed_at:%Y-%m-%d %H:%M}") for f in lines]
    return print_table(("Document", "Name", "Category", "Reason", "Failed at"), rows, "No document has failed.")


@queue_group.command("reset-failed")
@click.option(
    "--cool-down",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Minutes since the failure before a document is reset.",
)
@click.option("--workspace", help="Only documents of this workspace (default: all workspaces).")
@json_option
@click.pass_obj
def reset_failed(settings: Settings, cool_down: int, workspace: str | None, as_json: bool) -> None:
    """Put failed documents back into the queue.

    Only documents that have attempts left and may succeed are reset, including those that wait for a retry,
    which starts immediately. Documents that another transaction has locked are skipped. Workers also reset
    failed documents every five minutes, but let documents wait for their retry. To retry others, use
    `docyard dead replay`, or `docyard retry` if their dead letter was discarded.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        workspace_id = find_workspace(conn, workspace) if workspace else None
        counts = queue.reset_failed_documents(conn, cool_down=cool_down * 60.0, workspace_id=workspace_id)
    if as_json:
        print_json({"reset": counts.queued, "waiting_for_retry": counts.waiting_for_retry, "locked": counts.locked})
    else:
        _print_reset(counts)


def _print_reset(counts: queue.ResetCounts) -> None:
    waited = f" {counts.waiting_for_retry:,} of them waited for a retry." if counts.waiting_for_retry else ""
    click.echo(f"{_count(counts.queued, 'failed document is', 'failed documents are')} in the queue again.{waited}")
    if counts.locked:
        skipped = _count(counts.locked, "document was skipped, because", "documents were skipped, because")
        them = _choose(counts.locked, "it", "them")
        click.echo(f"{skipped} another transaction is changing {them}. Run the command again.")


def _make_status(
    overview: monitor.Overview, documents: dict[str, int], waiting: int, sampled: monitor.Sample | None
) -> dict[str, object]:
    counted = _get_sample(overview)
    return {
        "counted_at": counted.taken_at,
        "documents": documents,
        "waiting_for_retry": waiting,
        "stuck": counted.count("stuck"),
        "states": counted.states,
        "dead": counted.count("dead"),
        "tiers": [asdict(tier) for tier in overview.tiers],
        "workers": [asdict(worker) for worker in overview.workers],
        "finished_last_hour": overview.finished_last_hour,
        "sampled_at": sampled.taken_at if sampled else None,
        "success": asdict(overview.success),
    }


def _format_success(success: monitor.SuccessMeasures) -> str:
    """Return the success rates as text."""
    if success.sample_age is None:
        return "Success: not measured yet. A running worker takes a sample every few seconds."
    recovered = (
        "no document had failures"
        if success.recovery_rate is None
        else f"{success.recovery_rate:.0%} of the documents with failures recovered"
    )
    took = (
        "no document was completed"
        if success.mean_seconds is None
        else f"completion took {success.mean_seconds:.1f} s on average"
    )
    last_hour, hour_before = success.failures_last_hour, success.failures_hour_before
    return (
        f"Success in the last day, sampled {format_duration(success.sample_age)} ago: {recovered}; {took}."
        f" Failures in the last hour: {last_hour}; in the hour before: {hour_before}."
    )


def _format_breaker(pool: monitor.PoolStatus) -> str:
    until = f" until {pool.breaker_until:%Y-%m-%d %H:%M:%S}" if pool.breaker_until else ""
    return pool.breaker.replace("_", "-") + until


def _read_overview(settings: Settings) -> monitor.Overview:
    """Return the overview; jobs are counted now instead of being read from the latest sample."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        return monitor.collect_overview(conn, monitor.count_backlog(conn))


def _get_sample(overview: monitor.Overview) -> monitor.Sample:
    if overview.sample is None:
        raise LookupError("The overview has no sample, although jobs were counted.")
    return overview.sample


def _print_status(overview: monitor.Overview, documents: dict[str, int], waiting: int) -> None:
    counted = _get_sample(overview)
    click.echo(f"Counted at {counted.taken_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC.")
    retries = f"; {waiting:,} of the pending {_choose(waiting, 'waits', 'wait')} for a retry" if waiting else ""
    click.echo(f"Documents: {_format_counts(documents)}{retries}; {counted.count('stuck')} stuck for over an hour.")
    dead = _count(counted.count("dead"), "dead letter", "dead letters")
    jobs = _format_counts(counted.states)
    click.echo(f"Jobs: {jobs}; {dead}; {overview.finished_last_hour} finished in the last hour.")
    _print_tiers(overview.tiers)
    _print_workers(overview.workers)


def _format_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {_choose(number, one, many)}"


def _choose(number: int, one: str, many: str) -> str:
    return one if number == 1 else many


def _print_tiers(tiers: Sequence[monitor.TierStatus]) -> None:
    rows = [(t.name, f"{t.share:.0%}", t.pending, t.running, f"{t.oldest_wait:.0f} s") for t in tiers]
    print_table(("Tier", "Share", "Pending", "Running", "Oldest wait"), rows, "No tiers.")


def _print_workers(workers: Sequence[monitor.WorkerStatus]) -> None:
    columns = ("Worker", "Host", "State", "Slots", "Running", "Last heartbeat", "Late results rejected")
    who = [(str(w.id)[:8], f"{w.host}:{w.pid}", w.state, w.slots, w.running) for w in workers]
    when = [(f"{w.silent_seconds:.0f} s ago", w.rejected) for w in workers]
    print_table(columns, [a + b for a, b in zip(who, when, strict=True)], "No worker has run in the last hour.")
