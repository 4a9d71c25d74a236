"""Contestants and their settings."""

from __future__ import annotations

from bench.contestant import Entry


def _on_redis(name: str, jobs: int, settings: str) -> Entry:
    """Return the entry of a queue on Redis; these fork their workers and have no bulk call."""
    script = name.lower()
    return Entry(name, script, jobs, f"on Redis, {settings}", script, forks=True, bulk=False, on_redis=True)


DOCYARD = Entry("Docyard", "docyard", 20_000, "the production worker: 100 slots, batches of 100, lease 30 s")
BARE = Entry("bare limit", "bare_limit", 20_000, "a psycopg loop: claim 100, move 100 to a history; no guarantees")
ENTRIES = (
    DOCYARD,
    BARE,
    Entry("PgQueuer asyncpg", "pgqueuer", 20_000, "batches of 100, uvloop, durable tables", "pgqueuer"),
    Entry(
        "PgQueuer psycopg",
        "pgqueuer",
        20_000,
        "the same with its psycopg driver",
        "pgqueuer",
        variables={"BENCH_DRIVER": "psycopg"},
    ),
    Entry("Oban", "oban", 5_000, "the Python package: queue limit 100, uvloop", "oban"),
    Entry(
        "Procrastinate",
        "procrastinate",
        1_000,
        "async connector, concurrency 10",
        "procrastinate",
        variables={"BENCH_CONCURRENCY": "10"},
    ),
    _on_redis("Dramatiq", 10_000, "8 threads per process"),
    _on_redis("Huey", 10_000, "worker processes, blocking reads"),
    _on_redis("Celery", 2_000, "prefork pool, results ignored"),
)
