"""`docyard queue`: show jobs, tiers, pools, workers, and failed or stuck documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from docyard.cli.installation import open_installation
from docyard.cli.options import json_option
from docyard.cli.output import print_json, print_table
from docyard.queue import monitor
from docyard.settings import Settings


@click.group("queue")
def queue_group() -> None:
    """Show the state of the queue."""


@queue_group.command()
@json_option
@click.pass_obj
def status(settings: Settings, as_json: bool) -> None:
    """Show jobs, dead letters, tiers, workers and success rates.

    Jobs are counted when the command runs. Success rates come from the latest sample that a worker took.
    """
    overview = _read_overview(settings)
    if as_json:
        print_json(
            {
                "states": _get_sample(overview).states,
                "tiers": [asdict(tier) for tier in overview.tiers],
                "workers": [asdict(worker) for worker in overview.workers],
                "dead": _get_sample(overview).count("dead"),
                "finished_last_hour": overview.finished_last_hour,
                "success": asdict(overview.success),
            }
        )
    else:
        _print_status(overview)
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
    """List unfinished documents without recent progress.

    The exit code is 1 if there are any.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        lines = monitor.find_stuck_documents(conn, seconds=minutes * 60.0)
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        columns = ("Document", "Name", "Status", "Stage", "Job", "Attempts", "Unchanged for")
        rows = [(s.id, s.name, s.status, s.stage, s.job, s.attempts, f"{s.silent_seconds:.0f} s") for s in lines]
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
        f"Success in the last day: {recovered}; {took}."
        f" Failures in the last hour: {last_hour}; in the hour before: {hour_before}."
        f" Documents stuck for over an hour: {success.stuck}."
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


def _print_status(overview: monitor.Overview) -> None:
    states = ", ".join(f"{count} {state}" for state, count in sorted(_get_sample(overview).states.items()))
    jobs, dead = states or "none in the queue", _get_sample(overview).count("dead")
    click.echo(f"Jobs: {jobs}; {dead} dead letters; {overview.finished_last_hour} finished in the last hour.")
    _print_tiers(overview.tiers)
    _print_workers(overview.workers)


def _print_tiers(tiers: Sequence[monitor.TierStatus]) -> None:
    rows = [(t.name, f"{t.share:.0%}", t.pending, t.running, f"{t.oldest_wait:.0f} s") for t in tiers]
    print_table(("Tier", "Share", "Pending", "Running", "Oldest wait"), rows, "No tiers.")


def _print_workers(workers: Sequence[monitor.WorkerStatus]) -> None:
    columns = ("Worker", "Host", "State", "Slots", "Running", "Last heartbeat", "Late results rejected")
    who = [(str(w.id)[:8], f"{w.host}:{w.pid}", w.state, w.slots, w.running) for w in workers]
    when = [(f"{w.silent_seconds:.0f} s ago", w.rejected) for w in workers]
    print_table(columns, [a + b for a, b in zip(who, when, strict=True)], "No worker has run in the last hour.")
