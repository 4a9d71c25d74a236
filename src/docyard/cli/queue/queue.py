"""`docyard queue`: what waits, what runs, and who works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from docyard.cli.installation import opened
from docyard.cli.options import json_option
from docyard.cli.output import print_json, print_table
from docyard.queue import monitor
from docyard.settings import Settings


@click.group("queue")
def queue_group() -> None:
    """Look at the queue."""


@queue_group.command()
@json_option
@click.pass_obj
def status(settings: Settings, as_json: bool) -> None:
    """Jobs by state and tier, dead letters, the workers, and how well documents fare; counted now."""
    seen = _overview(settings)
    if as_json:
        print_json(
            {
                "states": _counted(seen).states,
                "tiers": [asdict(tier) for tier in seen.tiers],
                "workers": [asdict(worker) for worker in seen.workers],
                "dead": _counted(seen).count("dead"),
                "finished_last_hour": seen.finished_last_hour,
                "success": asdict(seen.success),
            }
        )
    else:
        _print(seen)
        click.echo(_success(seen.success))


@queue_group.command()
@json_option
@click.pass_obj
def tiers(settings: Settings, as_json: bool) -> None:
    """Each tier's guaranteed share and what waits in it."""
    found = _overview(settings).tiers
    print_json([asdict(tier) for tier in found]) if as_json else _print_tiers(found)


@queue_group.command()
@json_option
@click.pass_obj
def workers(settings: Settings, as_json: bool) -> None:
    """The workers and when each was last heard of."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        found = monitor.workers(conn)
    print_json([asdict(worker) for worker in found]) if as_json else _print_workers(found)


@queue_group.command()
@json_option
@click.pass_obj
def pools(settings: Settings, as_json: bool) -> None:
    """Each pool: what waits and runs, and what holds it back."""
    found = _overview(settings).pools
    if as_json:
        return print_json([asdict(pool) for pool in found])
    columns = (
        "Pool",
        "Resource",
        "Paused",
        "Most at once",
        "A second",
        "Pending",
        "Scheduled",
        "Running",
        "Breaker",
    )
    rows = [(p.name, p.resource, "yes" if p.paused else "", p.max_running, p.rate_per_second) for p in found]
    counts = [(p.pending, p.scheduled, p.running, _breaker(p)) for p in found]
    return print_table(columns, [row + count for row, count in zip(rows, counts, strict=True)], "No pools.")


@queue_group.command()
@click.option("--minutes", type=click.IntRange(1), default=60, show_default=True, help="Silent for so long.")
@json_option
@click.pass_obj
def stuck(settings: Settings, minutes: int, as_json: bool) -> None:
    """Documents that should have ended; exit code 1 when there are some."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        lines = monitor.stuck_documents(conn, seconds=minutes * 60.0)
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        columns = ("Document", "Name", "Status", "Stage", "Job", "Attempts", "Silent")
        rows = [
            (s.id, s.name, s.status, s.stage, s.job, s.attempts, f"{s.silent_seconds:.0f} s") for s in lines
        ]
        print_table(columns, rows, "Nothing is stuck.")
    if lines:
        raise SystemExit(1)


@queue_group.command()
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@json_option
@click.pass_obj
def failed(settings: Settings, limit: int, as_json: bool) -> None:
    """Documents that failed, with the reason, the latest first."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        lines = monitor.failed_documents(conn, limit)
    if as_json:
        return print_json([asdict(line) for line in lines])
    rows = [(f.id, f.name, f.category, f.reason, f"{f.completed_at:%Y-%m-%d %H:%M}") for f in lines]
    return print_table(("Document", "Name", "Category", "Reason", "When"), rows, "No document has failed.")


def _success(success: monitor.Success) -> str:
    """The measures of success as sentences."""
    if success.sample_age is None:
        return "Success: not measured yet; a running worker takes a sample every few seconds."
    recovered = (
        "nothing had to recover"
        if success.recovery_rate is None
        else f"{success.recovery_rate:.0%} recovered"
    )
    took = (
        "nothing completed"
        if success.mean_seconds is None
        else f"{success.mean_seconds:.1f} s to complete on average"
    )
    trend = f"{success.failures_last_hour} failures in the last hour after {success.failures_hour_before}"
    return (
        f"Success: {recovered} and {took} in the last day; {trend}; {success.stuck} stuck for over an hour."
    )


def _breaker(pool: monitor.PoolStatus) -> str:
    until = f" until {pool.breaker_until:%Y-%m-%d %H:%M:%S}" if pool.breaker_until else ""
    return pool.breaker.replace("_", "-") + until


def _overview(settings: Settings) -> monitor.Overview:
    """The queue counted now: at a terminal nobody should wonder how old the numbers are."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        return monitor.overview(conn, monitor.count_now(conn))


def _counted(seen: monitor.Overview) -> monitor.Sample:
    if seen.sample is None:
        raise LookupError("it was counted just now")
    return seen.sample


def _print(seen: monitor.Overview) -> None:
    states = ", ".join(f"{count} {state}" for state, count in sorted(_counted(seen).states.items()))
    waiting, dead = states or "nothing is waiting", _counted(seen).count("dead")
    click.echo(f"Jobs: {waiting}; {dead} dead letters; {seen.finished_last_hour} finished in the last hour.")
    _print_tiers(seen.tiers)
    _print_workers(seen.workers)


def _print_tiers(tiers: Sequence[monitor.TierStatus]) -> None:
    rows = [(t.name, f"{t.share:.0%}", t.pending, t.running, f"{t.oldest_wait:.0f} s") for t in tiers]
    print_table(("Tier", "Share", "Pending", "Running", "Oldest wait"), rows, "No tiers.")


def _print_workers(workers: Sequence[monitor.WorkerStatus]) -> None:
    columns = ("Worker", "Host", "State", "Slots", "Running", "Heard of", "Late results refused")
    who = [(str(w.id)[:8], f"{w.host}:{w.pid}", w.state, w.slots, w.running) for w in workers]
    when = [(f"{w.silent_seconds:.0f} s ago", w.rejected) for w in workers]
    print_table(columns, [a + b for a, b in zip(who, when, strict=True)], "No worker is alive.")
