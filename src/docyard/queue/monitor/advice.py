"""Problems that need an operator's attention, each with the command that helps."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from psycopg import sql

from docyard.queue.control.clock_steps import is_older
from docyard.queue.monitor.blockers import Blocker
from docyard.queue.monitor.overview import Overview

MAX_BLOCKER_SECONDS = 300.0
MAX_SAMPLE_AGE_SECONDS = 300.0
MAX_DUTY_AGE_SECONDS = 7200.0  # every duty runs at least once an hour
_MAX_SILENCE = 60.0  # seconds; a worker counts the backlog every 15
_MAX_IDLE = 45.0  # seconds; a round with a long duty takes less
_MAX_DEAD_ROWS = 50_000
_SET_BACK = "the database's clock was set back"  # the age of a time in the future is not known
_MIN_INCREASE = 20  # failures; a smaller increase is not reported, even if the number has doubled


@dataclass(frozen=True, slots=True)
class Advice:
    """A problem and the command that helps: red is urgent, amber is not, blue was caused by an operator."""

    level: Literal["red", "amber", "blue"]
    topic: str
    words: str
    command: str


def advise(seen: Overview) -> list[Advice]:
    """Return all problems, the most urgent first."""
    checks = (
        _check_workers,
        _check_blockers,
        _check_breakers,
        _check_stalls,
        _check_stuck,
        _check_tiers,
        _check_failures,
        _check_duties,
        _check_database,
        _check_sample,
        _check_clock,
        _check_limits,
    )
    found = [advice for check in checks for advice in check(seen)]
    return sorted(found, key=lambda advice: ("red", "amber", "blue").index(advice.level))


def _check_workers(seen: Overview) -> Iterator[Advice]:
    alive = [worker for worker in seen.workers if worker.is_alive]
    if seen.work_is_left and not alive:
        words = "Jobs have not ended, but no worker is running. Nothing is processed until one starts."
        yield Advice("red", "workers", words, "docyard worker")
        return
    served = {pool for worker in alive for pool in worker.pools}
    for pool in seen.pools:
        if pool.pending and pool.name not in served:
            words = f"{_count_jobs(pool.pending)} in the pool {pool.name}, which no running worker serves."
            yield Advice("red", "workers", words, f"docyard worker --resources {pool.resource}")
    for worker in alive:
        if worker.idle_seconds > _MAX_IDLE:
            words = (
                f"The worker {str(worker.id)[:8]} (process {worker.pid} on {worker.host}) sends heartbeats, but claims"
                f" nothing: its main loop has not completed a round for {format_duration(worker.idle_seconds)}. It"
                " opens new connections after a minute and starts anew after another half. If that does not help,"
                " restart it."
            )
            yield Advice("red", "workers", words, "docyard queue workers")


def _check_blockers(seen: Overview) -> Iterator[Advice]:
    yield from map(advise_on_blocker, seen.blockers)


def advise_on_blocker(blocker: Blocker) -> Advice:
    """Return the advice to end a transaction that blocks work."""
    described = describe_blocker(blocker)
    words = f"{described[0].upper()}{described[1:]}."
    if blocker.seconds is not None:
        words += f" Its transaction began {format_duration(blocker.seconds)} ago"
        words += f"; it is {blocker.state}." if blocker.state else "."
    elif blocker.state:
        words += f" It is {blocker.state}."
    if blocker.blocked:
        words += f" {'1 session waits' if blocker.blocked == 1 else f'{blocker.blocked} sessions wait'} for it."
    if blocker.query and blocker.query_seconds is not None:
        words += f' Its last statement, {format_duration(blocker.query_seconds)} ago, is "{blocker.query}".'
    is_advisory = blocker.purposes and not blocker.tables
    words += " Work that needs this lock is" if is_advisory else " Documents and jobs that it has locked are"
    words += " not processed until it ends. To end it:"
    level: Literal["red", "amber"] = "red" if blocker.is_urgent else "amber"
    return Advice(level, "blockers", words, _release_command(blocker.kind, blocker.pid, blocker.name))


def describe_blocker(blocker: Blocker) -> str:
    """Return who holds which locks, without numbers that change."""
    if blocker.pid is None:
        who = f"the prepared transaction {blocker.name} of the user {blocker.role}"
    else:
        origin = f", from {blocker.address}" if blocker.address else ""
        who = f"the process {blocker.pid} ({blocker.application or 'unnamed'}, user {blocker.role}{origin})"
    locks = [f"locks on {', '.join(blocker.tables[:5])}"] if blocker.tables else []
    locks += [f"the advisory lock of {purpose}" for purpose in blocker.purposes]
    return f"{who} holds {' and '.join(locks) or 'a lock that others need'}"


def _check_stalls(seen: Overview) -> Iterator[Advice]:
    if seen.blockers:
        return
    for pool in seen.stalled:
        words = (
            f"{_count_jobs(pool.pending)} in the pool {pool.name}, but none was started in the last"
            f" {format_duration(pool.seconds)}, although a running worker has a free slot. The log of the worker"
            " may say why; restart the worker if it does not."
        )
        yield Advice("red", "stalls", words, "docyard queue workers")
    is_served = any(worker.is_alive for worker in seen.workers)
    if seen.work_waits and is_served and is_older(seen.silence, _MAX_SILENCE) and not seen.stalled:
        period = f"in the last {format_duration(seen.silence)}" if seen.silence > 0 else f"since {_SET_BACK}"
        words = (
            f"Jobs are pending, but none was started, and the backlog was not counted, {period}, although a worker is"
            " running. Restart the worker."
        )
        yield Advice("red", "stalls", words, "docyard queue workers")


def _check_breakers(seen: Overview) -> Iterator[Advice]:
    for pool in seen.pools:
        if pool.breaker == "closed":
            continue
        state, effect = (
            ("open", "its jobs keep failing, so no more are started until the pool is tested again")
            if pool.breaker == "open"
            else ("half-open", "one job at a time is started to test whether the pool works again")
        )
        cause = f" ({pool.breaker_category})" if pool.breaker_category else ""
        words = f"The circuit breaker of the pool {pool.name} is {state}{cause}: {effect}."
        if pool.breaker_message:
            words += f" The last failure: {pool.breaker_message}"
        command = "docyard doctor" if pool.breaker_category == "storage" else "docyard queue pools"
        yield Advice("red", "breakers", words, command)


def _check_stuck(seen: Overview) -> Iterator[Advice]:
    count = seen.success.stuck
    if count:
        words = "1 document has" if count == 1 else f"{count:,} documents have"
        yield Advice("red", "stuck", f"{words} made no progress for over an hour.", "docyard queue stuck")


def _check_tiers(seen: Overview) -> Iterator[Advice]:
    for tier in seen.tiers:
        if tier.oldest_wait > tier.objective_seconds and not tier.paused:
            words = (
                f"The oldest job of the tier {tier.name} has waited {format_duration(tier.oldest_wait)}; the"
                f" objective is {format_duration(tier.objective_seconds)}. Another worker shortens the wait."
            )
            yield Advice("amber", "tiers", words, "docyard worker --slots 4")


def _check_failures(seen: Overview) -> Iterator[Advice]:
    now, before = seen.success.failures_last_hour, seen.success.failures_hour_before
    if now >= 2 * before and now - before >= _MIN_INCREASE:
        words = f"More attempts fail than before: {now:,} in the last hour, {before:,} in the hour before."
        yield Advice("amber", "failures", words, "docyard dead causes")


def _check_duties(seen: Overview) -> Iterator[Advice]:
    for duty in seen.duties:
        if duty.error is not None:
            words = f"The duty {duty.duty} failed and is retried automatically: {duty.error}"
            yield Advice("amber", "duties", words, "docyard doctor")
        elif duty.began_at is not None and is_older(duty.age, MAX_DUTY_AGE_SECONDS):
            words = (
                f"The duty {duty.duty} last ran {_format_age(duty.age)}."
                " A running worker performs every duty at least once an hour."
            )
            yield Advice("amber", "duties", words, "docyard worker")


def _check_database(seen: Overview) -> Iterator[Advice]:
    holder = seen.sample.holder if seen.sample else None
    if holder and is_older(holder.seconds, MAX_BLOCKER_SECONDS):
        name = f"process {holder.pid} ({holder.name})" if holder.pid else f"{holder.kind} {holder.name}"
        period = f"for {format_duration(holder.seconds)}" if holder.seconds > 0 else f"since before {_SET_BACK}"
        words = (
            f"Vacuum cannot remove dead rows, which slows the queue down: {name} has prevented it"
            f" {period}. To remove the cause:"
        )
        yield Advice("amber", "vacuum", words, _release_command(holder.kind, holder.pid, holder.name))
    for table in seen.sample.tables if seen.sample else ():
        if table.dead > _MAX_DEAD_ROWS + table.live / 5:
            words = f"The table {table.name} has {table.dead:,} dead rows, which slow down claims."
            yield Advice("amber", "vacuum", words, f'psql -c "VACUUM {table.name}"')


_RELEASE_STATEMENTS = {
    "transaction": sql.SQL("SELECT pg_terminate_backend({})"),
    "prepared transaction": sql.SQL("ROLLBACK PREPARED {}"),
    "replication slot": sql.SQL("SELECT pg_drop_replication_slot({})"),
}


def _release_command(kind: str, pid: int | None, name: str) -> str:
    identifier = sql.Literal(pid if kind == "transaction" else name)
    return f"psql -c {shlex.quote(_RELEASE_STATEMENTS[kind].format(identifier).as_string(None))}"


def _check_sample(seen: Overview) -> Iterator[Advice]:
    if seen.sample is None:
        words = "The backlog has not been counted yet. A running worker counts it every few seconds."
        yield Advice("amber", "sample", words, "docyard worker")
    elif is_older(seen.sample.age, MAX_SAMPLE_AGE_SECONDS):
        words = (
            f"The backlog was last counted {_format_age(seen.sample.age)}, so its numbers may be out"
            " of date. A running worker counts it every few seconds."
        )
        yield Advice("amber", "sample", words, "docyard worker")


def _check_clock(seen: Overview) -> Iterator[Advice]:
    if seen.clock_step and seen.clock_step.is_recent:
        words = f"{seen.clock_step.words} Check the time synchronisation of the database server."
        yield Advice("amber", "clock", words, "docyard doctor")


def _check_limits(seen: Overview) -> Iterator[Advice]:
    paused = [("pool", pool.name) for pool in seen.pools if pool.paused]
    paused += [("tier", tier.name) for tier in seen.tiers if tier.paused]
    paused += [("workspace", workspace.name) for workspace in seen.held if workspace.paused]
    for kind, name in paused:
        words = f"The {kind} {name} is paused: none of its jobs are started."
        yield Advice("blue", "pauses", words, f"docyard resume {kind} {shlex.quote(name)}")
    for workspace in seen.held:
        if workspace.retries_from is not None:
            words = f"The workspace {workspace.name} has used up its retry budget; more retries are delayed."
            yield Advice(
                "amber", "retries", words, f"docyard limit workspace {shlex.quote(workspace.name)} --retries 2000"
            )


def _count_jobs(count: int) -> str:
    return "1 job is pending" if count == 1 else f"{count:,} jobs are pending"


def _format_age(seconds: float) -> str:
    return f"{format_duration(seconds)} ago" if seconds > 0 else f"before {_SET_BACK}"


def format_duration(seconds: float) -> str:
    """Return a duration rounded to days, hours, minutes or seconds, as in "15 minutes"."""
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"
