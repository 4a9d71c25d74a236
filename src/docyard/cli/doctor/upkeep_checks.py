"""The doctor's checks of upkeep: duties that fail or are late, and dead rows that cannot be removed."""

from __future__ import annotations

from docyard.cli.doctor.findings import FAIL, OK, WARN, Finding
from docyard.cli.installation import Installation
from docyard.queue import control, monitor
from docyard.worker import WorkerOptions
from docyard.worker.duties import DUTIES

_MISSED = 3  # times in a row, and a minute more for a worker that is busy
_GRACE_SECONDS = 60.0


def held_back(installation: Installation) -> Finding:
    """Whoever keeps vacuum from removing dead rows."""
    with installation.db.transaction() as conn:
        holders = monitor.held_xmin(conn)
    if not holders:
        return Finding("vacuum", OK, "Nothing keeps dead rows from being removed.")
    words = "Dead rows cannot be removed and the queue gets slower. End what holds them back: "
    return Finding("vacuum", WARN, words + "; ".join(holders) + ".")


def dead_rows(installation: Installation) -> Finding:
    """Dead rows among the live jobs."""
    with installation.db.transaction() as conn:
        live, dead, too_many = monitor.dead_rows(conn)
    words = f"The table jobs has {live} live and {dead} dead rows."
    if too_many:
        words += " Autovacuum does not keep up: see the check vacuum, then run VACUUM jobs."
    return Finding("dead rows", WARN if too_many else OK, words)


def duties(installation: Installation) -> Finding:
    """Duties of upkeep that fail, or that no worker has done for long."""
    with installation.db.transaction() as conn:
        lines = {line.duty: line for line in control.duty_lines(conn)}
        alive = [worker for worker in monitor.workers(conn) if worker.state == "alive"]
    failing = [f"{line.duty} fails: {line.error}" for line in lines.values() if line.error]
    late = _late({line.duty: line.age for line in lines.values()}, installation.settings.lease_seconds)
    if failing:
        return Finding("duties", FAIL, "; ".join(failing))
    if late and any(worker.silent_seconds < 60 for worker in alive):
        return Finding("duties", WARN, f"Not done for long, though a worker is alive: {', '.join(late)}.")
    return Finding("duties", OK, "None fails." if lines else "None was done yet; workers do them.")


def _late(ages: dict[str, float], lease_seconds: float) -> list[str]:
    options = WorkerOptions(lease_seconds=lease_seconds)
    return [
        duty.name
        for duty in DUTIES
        if ages.get(duty.name, float("inf")) > _MISSED * duty.period(options) + _GRACE_SECONDS
    ]
