"""Checks of upkeep: duties that fail or are overdue, dead rows in the table of jobs, and the database's clock."""

from __future__ import annotations

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.queue import control, monitor
from docyard.worker import WorkerOptions
from docyard.worker.duties import DUTIES

_MAX_MISSED_PERIODS = 3
_GRACE_SECONDS = 60.0  # for a busy worker, in addition to the missed periods


def check_vacuum(installation: Installation) -> Finding:
    """Check whether transactions or replication slots prevent vacuum from removing dead rows."""
    with installation.db.transaction() as conn:
        holders = monitor.describe_vacuum_blockers(conn)
    if not holders:
        return Finding("vacuum", OK, "Nothing prevents vacuum from removing dead rows.")
    words = (
        f"Vacuum cannot remove dead rows, which slows down the queue. Blocked by: {'; '.join(holders)}."
        " End these with pg_terminate_backend, ROLLBACK PREPARED or pg_drop_replication_slot."
    )
    return Finding("vacuum", WARN, words)


def check_dead_rows(installation: Installation) -> Finding:
    """Check the number of dead rows in the table of jobs."""
    with installation.db.transaction() as conn:
        live, dead, too_many = monitor.count_dead_rows(conn)
    words = f"The table jobs has {live} live and {dead} dead rows."
    if too_many:
        words += (
            " Autovacuum does not keep up, which slows down the queue."
            " First resolve any warning of the check `vacuum`, then run in psql: VACUUM jobs"
        )
    return Finding("dead rows", WARN if too_many else OK, words)


def check_duties(installation: Installation) -> Finding:
    """Check for upkeep duties whose last run failed, or that are overdue."""
    with installation.db.transaction() as conn:
        lines = {line.duty: line for line in control.list_duties(conn)}
        is_served = any(worker.is_alive for worker in monitor.list_workers(conn))
    failing = [f"{line.duty} ({line.error})" for line in lines.values() if line.error]
    overdue = _find_overdue({line.duty: line.age for line in lines.values()}, installation.settings.lease_seconds)
    if failing:
        words = (
            f"Upkeep duties fail: {'; '.join(failing)}. Without them, the queue slows down or stalls."
            " Workers retry them. The event duty_failed in the worker log shows the cause."
        )
        return Finding("duties", FAIL, words)
    if overdue and is_served:
        words = (
            f"Upkeep duties are overdue although a worker is running: {', '.join(overdue)}."
            " Check the worker log, then restart the worker."
        )
        return Finding("duties", WARN, words)
    words = "No upkeep duty fails." if lines else "No upkeep duty has run yet. Workers run them."
    return Finding("duties", OK, words)


def check_clock(installation: Installation) -> Finding:
    """Check whether the database's clock stepped during the last day."""
    with installation.db.transaction() as conn:
        step = control.get_latest_step(conn)
    if step is None or not step.is_recent:
        return Finding("clock", OK, "No worker has seen the database's clock step during the last day.")
    return Finding("clock", WARN, f"{step.words} Check the time synchronisation of the database server.")


def _find_overdue(ages: dict[str, float], lease_seconds: float) -> list[str]:
    options = WorkerOptions(lease_seconds=lease_seconds)
    return [
        duty.name
        for duty in DUTIES
        if control.is_older(
            ages.get(duty.name, float("inf")), _MAX_MISSED_PERIODS * duty.period(options) + _GRACE_SECONDS
        )
    ]
