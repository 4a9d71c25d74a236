"""What needs an operator's attention, in words, each with the command that helps."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from psycopg import sql

from docyard.queue.monitor.overview import Overview
from docyard.queue.monitor.samples import Holder

HELD_SECONDS = 300.0
OLD_SAMPLE_SECONDS = 300.0
LATE_DUTY_SECONDS = 7200.0  # none is done less often than every hour
_SILENT_SECONDS = 60.0
_MANY_DEAD_ROWS = 50_000
_GROWN_BY = 20  # failures more than an hour before, and twice as many


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that is not as it should be: red now, amber soon, blue by somebody's choice."""

    level: Literal["red", "amber", "blue"]
    words: str
    command: str


def advise(seen: Overview) -> list[Advice]:
    """Everything that needs attention, the most urgent first."""
    checks = (
        _nobody_works,
        _breakers,
        _stuck,
        _late_tiers,
        _growing,
        _duties,
        _database,
        _old_numbers,
        _held,
    )
    found = [advice for check in checks for advice in check(seen)]
    return sorted(found, key=lambda advice: ("red", "amber", "blue").index(advice.level))


def _nobody_works(seen: Overview) -> Iterator[Advice]:
    alive = [
        worker
        for worker in seen.workers
        if worker.state == "alive" and worker.silent_seconds < _SILENT_SECONDS
    ]
    if seen.work_waits and not alive:
        yield Advice("red", "Jobs wait, and no worker is alive.", "docyard worker")
        return
    served = {pool for worker in alive for pool in worker.pools}
    for pool in seen.pools:
        if pool.pending and pool.name not in served:
            words = f"{_jobs(pool.pending)} in the pool {pool.name}, which no living worker serves."
            yield Advice("red", words, f"docyard worker --resources {pool.resource}")


def _breakers(seen: Overview) -> Iterator[Advice]:
    for pool in seen.pools:
        if pool.breaker == "closed":
            continue
        how = (
            "open: nothing of it starts"
            if pool.breaker == "open"
            else "half-open: one job at a time is tried"
        )
        why = f" ({pool.breaker_category})" if pool.breaker_category else ""
        yield Advice("red", f"The breaker of the pool {pool.name} is {how}{why}.", "docyard queue pools")


def _stuck(seen: Overview) -> Iterator[Advice]:
    count = seen.success.stuck
    if count:
        words = "1 document has" if count == 1 else f"{count:,} documents have"
        yield Advice("red", f"{words} not been touched for over an hour.", "docyard queue stuck")


def _late_tiers(seen: Overview) -> Iterator[Advice]:
    for tier in seen.tiers:
        if tier.oldest_wait > tier.objective_seconds and not tier.paused:
            words = (
                f"The oldest job of the tier {tier.name} has waited {spoken(tier.oldest_wait)};"
                f" the objective is {spoken(tier.objective_seconds)}."
            )
            yield Advice("amber", words, "docyard worker --slots 4")


def _growing(seen: Overview) -> Iterator[Advice]:
    now, before = seen.success.failures_last_hour, seen.success.failures_hour_before
    if now >= 2 * before and now - before >= _GROWN_BY:
        words = f"Failures grow: {now:,} in the last hour, {before:,} in the hour before."
        yield Advice("amber", words, "docyard dead causes")


def _duties(seen: Overview) -> Iterator[Advice]:
    for duty in seen.duties:
        if duty.error is not None:
            yield Advice("amber", f"The duty {duty.duty} fails: {duty.error}", "docyard doctor")
        elif duty.began_at is not None and duty.age > LATE_DUTY_SECONDS:
            words = f"The duty {duty.duty} was last done {spoken(duty.age)} ago."
            yield Advice("amber", words, "docyard worker")


def _database(seen: Overview) -> Iterator[Advice]:
    holder = seen.sample.holder if seen.sample else None
    if holder and holder.seconds > HELD_SECONDS:
        who = f"process {holder.pid} ({holder.name})" if holder.pid else f"{holder.kind} {holder.name}"
        words = f"Dead rows cannot be removed: {who} has held them for {spoken(holder.seconds)}."
        yield Advice("amber", words, _release(holder))
    for table in seen.sample.tables if seen.sample else ():
        if table.dead > _MANY_DEAD_ROWS + table.live / 5:
            words = f"The table {table.name} holds {table.dead:,} dead rows; claiming becomes slow."
            yield Advice("amber", words, f'psql -c "VACUUM {table.name}"')


_RELEASES = {
    "transaction": sql.SQL("SELECT pg_terminate_backend({})"),
    "prepared transaction": sql.SQL("ROLLBACK PREPARED {}"),
    "replication slot": sql.SQL("SELECT pg_drop_replication_slot({})"),
}


def _release(holder: Holder) -> str:
    which = sql.Literal(holder.pid if holder.kind == "transaction" else holder.name)
    return f"psql -c {shlex.quote(_RELEASES[holder.kind].format(which).as_string(None))}"


def _old_numbers(seen: Overview) -> Iterator[Advice]:
    if seen.sample is None:
        yield Advice(
            "amber",
            "The queue has not been counted yet; a worker does it every few seconds.",
            "docyard worker",
        )
    elif seen.sample.age > OLD_SAMPLE_SECONDS:
        words = f"The queue was last counted {spoken(seen.sample.age)} ago; what waits may have changed."
        yield Advice("amber", words, "docyard worker")


def _held(seen: Overview) -> Iterator[Advice]:
    paused = [("pool", pool.name) for pool in seen.pools if pool.paused]
    paused += [("tier", tier.name) for tier in seen.tiers if tier.paused]
    paused += [("workspace", workspace.name) for workspace in seen.held if workspace.paused]
    for kind, name in paused:
        yield Advice("blue", f"The {kind} {name} is paused.", f"docyard resume {kind} {shlex.quote(name)}")
    for workspace in seen.held:
        if workspace.retries_from is not None:
            words = f"The workspace {workspace.name} has used up its retries; more wait for a later period."
            yield Advice(
                "amber", words, f"docyard limit workspace {shlex.quote(workspace.name)} --retries 2000"
            )


def _jobs(count: int) -> str:
    return "1 job waits" if count == 1 else f"{count:,} jobs wait"


def spoken(seconds: float) -> str:
    """A duration as people say it, roughly."""
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
