"""Checks of the queue: sessions that block it, workers, and the advice that the Operations page shows."""

from __future__ import annotations

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.queue import monitor
from docyard.queue.monitor import Advice, Overview

_OTHER_CHECKS = ("blockers", "duties", "vacuum")  # topics that have their own, more precise checks


def check_blockers(installation: Installation) -> list[Finding]:
    """Check for transactions that keep locks on Docyard's tables; this works even if all tables are locked."""
    with installation.db.transaction() as conn:
        blockers = monitor.find_blockers(conn)
    if not blockers:
        return [Finding("blockers", OK, "No transaction of another session blocks the queue.")]
    return [_make_finding(monitor.advise_on_blocker(blocker)) for blocker in blockers]


def check_queue(installation: Installation) -> list[Finding]:
    """Check workers, pools, tiers and documents, like the Operations page, but with a new count."""
    with installation.db.transaction() as conn:
        overview = monitor.collect_overview(conn, monitor.count_backlog(conn))
    advice = [one for one in monitor.advise(overview) if one.topic not in _OTHER_CHECKS]
    findings = [_make_finding(one) for one in advice]
    return findings if any(one.topic == "workers" for one in advice) else [_describe_workers(overview), *findings]


def _make_finding(advice: Advice) -> Finding:
    state = FAIL if advice.level == "red" else WARN
    return Finding(advice.topic, state, f"{advice.words} {advice.command}")


def _describe_workers(overview: Overview) -> Finding:
    alive = sum(worker.is_alive for worker in overview.workers)
    if not alive:
        return Finding("workers", WARN, "No worker is running. Start one with: docyard worker")
    counted = overview.sample
    waiting, dead = (counted.states.get("pending", 0), counted.count("dead")) if counted else (0, 0)
    return Finding("workers", OK, f"Running workers: {alive}; pending jobs: {waiting}; dead letters: {dead}.")
