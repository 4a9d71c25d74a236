"""`python -m eval.resolution_cost [SIZES]`: what it costs to compare made-up names, and what is found.

The names of a size are saved, then all compared as the duty does it; planted are second ways of writing some.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterable, Sequence
from uuid import UUID

import psutil

from docyard.db import Connection
from docyard.model.facts import EntityKey
from docyard.store.facts import entity_id
from docyard.store.graph.candidates import candidates
from docyard.store.people import get_or_create_workspace
from docyard.worker.duties.merges import BATCH, blocks_of, compare_some
from eval.quality_page import put
from eval.scratch import scratch_database
from eval.synthetic_names import Name, made_up

_SIZES = (10_000, 100_000)
_MILLION = "DOCYARD_EVAL_MILLION"  # takes half an hour, so only where this is set
_ASKED = 2000  # planted names that are asked for
_HOW = """
Made-up names of companies and people (`eval/synthetic_names.py`), a tenth written in a second way: a slip,
words turned, joined or shortened, initials, an acronym. They are compared as the duty does it, with nothing
known but the names; the seconds are for all of them, in one process beside its database, and computing is
what the processor did of them. Found are planted names whose other way of writing is among their
candidates, of 2,000. The proposals have nothing but a rare name for them. `python -m eval.resolution_cost
10000 100000 1000000`; `make eval` leaves the million out unless `DOCYARD_EVAL_MILLION` is set.
""".strip()


def main() -> None:
    """Measure, and write the sections of docs/quality.md."""
    for name, title, body in sections([int(size) for size in sys.argv[1:]]):
        if body:
            put(name, title, body)
            print(body)


def sections(sizes: Sequence[int] = ()) -> list[tuple[str, str, str]]:
    """The section of the usual sizes, and one of a million names where it is asked for."""
    usual = [size for size in sizes or _SIZES if size < 1_000_000]
    large = [size for size in sizes if size >= 1_000_000] or [1_000_000] * bool(os.environ.get(_MILLION))
    return [
        ("resolution-cost", "What comparing names costs", f"{_HOW}\n\n{table(usual)}" if usual else ""),
        ("resolution-million", "What comparing a million names costs", table(large) if large else ""),
    ]


def table(sizes: Iterable[int]) -> str:
    """A line for each size, each in a database of its own."""
    head = (
        "| names | seconds | ms a name | computing | MB of blocks | planted names found | proposals | right |"
    )
    return "\n".join([head, "|---|---|---|---|---|---|---|---|", *map(_line, sizes)])


def _line(size: int) -> str:
    with scratch_database() as database, database.connect() as conn:
        workspace = get_or_create_workspace(conn, "names")
        names = list(made_up(size))
        _save(conn, workspace, names)
        began, busy = time.perf_counter(), _computed(conn)
        proposed = _compare_all(conn)
        seconds, busy = time.perf_counter() - began, _computed(conn) - busy
        found = _found(conn, workspace, names)
        right = _right(conn, workspace, names)
        size_of = conn.execute("SELECT pg_total_relation_size('entity_blocks') AS bytes").fetchone()
    room = f"{size_of['bytes'] / 1e6:,.0f}" if size_of else ""
    share = f"{right / proposed:.3f}" if proposed else ""
    spent = f"{seconds:,.0f} | {1000 * seconds / size:.2f} | {1000 * busy / size:.2f}"
    return f"| {size:,} | {spent} | {room} | {found:.3f} | {proposed:,} | {share} |"


def _save(conn: Connection, workspace: UUID, names: Sequence[Name]) -> None:
    for start in range(0, len(names), 10_000):
        part = names[start : start + 10_000]
        conn.execute(
            "INSERT INTO entities (id, workspace_id, kind, key, name)"
            " SELECT g.id, %s, g.kind, g.key, g.key"
            " FROM unnest(%s::uuid[], %s::text[], %s::text[]) AS g (id, kind, key)",
            (
                workspace,
                [_id(workspace, name.kind, name.key) for name in part],
                [name.kind for name in part],
                [name.key for name in part],
            ),
        )
    conn.execute("VACUUM ANALYZE entities")


def _id(workspace: UUID, kind: str, key: str) -> UUID:
    return entity_id(workspace, EntityKey(kind, key))


def _computed(conn: Connection) -> float:
    """Seconds that the processor worked for us and for our server process; others hardly change them."""
    server = psutil.Process(conn.info.backend_pid).cpu_times()
    return time.process_time() + server.user + server.system


def _compare_all(conn: Connection) -> int:
    proposed = 0
    while True:
        with conn.transaction():
            taken, made = compare_some(conn, BATCH)
        proposed += made
        if taken < BATCH:
            return proposed


def _found(conn: Connection, workspace: UUID, names: Sequence[Name]) -> float:
    """The share of planted names whose other way of writing was proposed or is a candidate."""
    planted = [name for name in names if name.of]
    asked = random.Random(len(names)).sample(planted, min(_ASKED, len(planted)))  # noqa: S311 (no secret)
    blocks = {
        _id(workspace, name.kind, name.key): blocks_of(workspace, name.kind, name.key) for name in asked
    }
    known = {(pair.one, pair.other) for pair in candidates(conn, blocks)}
    known |= _proposals(conn)
    pairs = [(_id(workspace, name.kind, name.key), _id(workspace, name.kind, name.of)) for name in asked]
    return sum((one, other) in known or (other, one) in known for one, other in pairs) / len(pairs)


def _right(conn: Connection, workspace: UUID, names: Sequence[Name]) -> int:
    """How many proposals bring two ways of writing one name together."""
    true = {
        frozenset((_id(workspace, name.kind, name.key), _id(workspace, name.kind, name.of)))
        for name in names
        if name.of
    }
    return sum(frozenset(pair) in true for pair in _proposals(conn))


def _proposals(conn: Connection) -> set[tuple[UUID, UUID]]:
    return {(row["one"], row["other"]) for row in conn.execute("SELECT one, other FROM entity_merges")}


if __name__ == "__main__":
    main()
