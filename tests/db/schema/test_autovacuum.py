"""Tests of the autovacuum settings of busy tables."""

from __future__ import annotations

import pytest

from docyard.db import Connection

HOT = (
    "jobs",
    "lanes",
    "pools",
    "pool_tiers",
    "workers",
    "pool_breakers",
    "retry_budgets",
    "duties",
    "tallies",
    "tally_totals",
    "arrivals",
    "arrival_reads",
)


@pytest.mark.parametrize("table", HOT)
def test_busy_tables_are_vacuumed_early_and_without_pauses(migrated: Connection, table: str) -> None:
    row = migrated.execute("SELECT reloptions FROM pg_class WHERE relname = %s", (table,)).fetchone()
    assert row
    options = dict(option.split("=") for option in row["reloptions"])
    assert int(options["autovacuum_vacuum_threshold"]) <= 2000
    assert float(options["autovacuum_vacuum_scale_factor"]) <= 0.2
    assert float(options["autovacuum_vacuum_cost_delay"]) == 0
    assert options["vacuum_truncate"] == "false"
    if table not in ("tallies", "arrivals"):
        assert int(options["fillfactor"]) <= 80, "HOT updates need free space on the page"
