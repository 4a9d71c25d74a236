"""Who takes part, at which settings."""

from __future__ import annotations

from bench.contestant import Entry

DOCYARD = Entry("Docyard", "docyard", 20_000, "its real worker, 100 slots, batches of 100, lease 30 s")
BARE = Entry("bare limit", "bare_limit", 20_000, "psycopg: claim 100, move 100 to a history; no guarantees")
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
        more={"BENCH_DRIVER": "psycopg"},
    ),
)
