"""`python -m eval.resolution_cost [SIZES]`: cost and recall of comparing synthetic names.

For each size, this number of names is saved, then compared as in the duty `merges`. Some names have a variant
spelling.
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
from docyard.store.graph.candidates import find_candidates
from docyard.store.users import get_or_create_workspace
from docyard.worker.duties.merges import BATCH_SIZE, compare_batch, hash_blocking_keys
from eval.quality_page import put_section
from eval.scratch import scratch_database
from eval.synthetic_names import Name, generate_names

_SIZES = (10_000, 100_000)
_MILLION = "DOCYARD_EVAL_MILLION"  # enables the run with a million names, which takes half an hour
_MAX_VARIANTS = 2000  # number of variants checked for each size
_METHOD = """
Synthetic names of companies and people (`eval/synthetic_names.py`). A tenth of them have a variant spelling:
a typing error, words in another order, joined or abbreviated, initials, or an acronym. They are compared as
in the duty `merges`, by the names alone. Seconds are wall time for all names, in one process on
the same machine as its database. A variant is found if its original is proposed or among its candidates; at
most 2,000 variants are checked. All proposals are based on rare names alone. `python -m eval.resolution_cost
10000 100000 1000000`; `make eval` measures a million names only if `DOCYARD_EVAL_MILLION` is set.
""".strip()


def main() -> None:
    """Measure and write the sections of docs/measurements/quality.md."""
    for name, title, body in sections([int(size) for size in sys.argv[1:]]):
        if body:
            put_section(name, title, body)
            print(body)


def sections(sizes: Sequence[int] = ()) -> list[tuple[str, str, str]]:
    """Return a section for sizes below a million and one for larger sizes; the body is empty if there are none."""
    small = [size for size in sizes or _SIZES if size < 1_000_000]
    large = [size for size in sizes if size >= 1_000_000] or [1_000_000] * bool(os.environ.get(_MILLION))
    return [
        ("resolution-cost", "Cost of comparing names", f"{_METHOD}\n\n{table(small)}" if small else ""),
        ("resolution-million", "Cost of comparing a million names", table(large) if large else ""),
    ]


def table(sizes: Iterable[int]) -> str:
    """Return a table with a row for each size; each is measured in its own database."""
    header = "| names | seconds | ms per name | CPU ms per name | MB of blocks | variants found | proposals | correct |"
    return "\n".join([header, "|---|---|---|---|---|---|---|---|", *map(_measure, sizes)])


def _measure(size: int) -> str:
    with scratch_database() as database, database.connect() as conn:
        workspace = get_or_create_workspace(conn, "names")
        names = list(generate_names(size))
        _save(conn, workspace, names)
        started, cpu = time.perf_counter(), _cpu_seconds(conn)
        proposed = _compare_all(conn)
        seconds, cpu = time.perf_counter() - started, _cpu_seconds(conn) - cpu
        found = _share_of_variants_found(conn, workspace, names)
        correct = _count_correct(conn, workspace, names)
        row = conn.execute("SELECT pg_total_relation_size('entity_blocks') AS bytes").fetchone()
    megabytes = f"{row['bytes'] / 1e6:,.0f}" if row else ""
    share = f"{correct / proposed:.3f}" if proposed else ""
    times = f"{seconds:,.0f} | {1000 * seconds / size:.2f} | {1000 * cpu / size:.2f}"
    return f"| {size:,} | {times} | {megabytes} | {found:.3f} | {proposed:,} | {share} |"


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


def _cpu_seconds(conn: Connection) -> float:
    """Return the CPU seconds used by this process and by its server process."""
    server = psutil.Process(conn.info.backend_pid).cpu_times()
    return time.process_time() + server.user + server.system


def _compare_all(conn: Connection) -> int:
    proposed = 0
    while True:
        with conn.transaction():
            taken, made = compare_batch(conn, BATCH_SIZE)
        proposed += made
        if taken < BATCH_SIZE:
            return proposed


def _share_of_variants_found(conn: Connection, workspace: UUID, names: Sequence[Name]) -> float:
    """Return the share of variants whose original was proposed or is a candidate."""
    variants = [name for name in names if name.original]
    generator = random.Random(len(names))  # noqa: S311 (not for security)
    checked = generator.sample(variants, min(_MAX_VARIANTS, len(variants)))
    blocks = {
        _id(workspace, name.kind, name.key): hash_blocking_keys(workspace, name.kind, name.key) for name in checked
    }
    known = {(pair.one, pair.other) for pair in find_candidates(conn, blocks)}
    known |= _proposals(conn)
    pairs = [(_id(workspace, name.kind, name.key), _id(workspace, name.kind, name.original)) for name in checked]
    return sum((one, other) in known or (other, one) in known for one, other in pairs) / len(pairs)


def _count_correct(conn: Connection, workspace: UUID, names: Sequence[Name]) -> int:
    """Return how many proposals join a variant with its original."""
    true = {
        frozenset((_id(workspace, name.kind, name.key), _id(workspace, name.kind, name.original)))
        for name in names
        if name.original
    }
    return sum(frozenset(pair) in true for pair in _proposals(conn))


def _proposals(conn: Connection) -> set[tuple[UUID, UUID]]:
    return {(row["one"], row["other"]) for row in conn.execute("SELECT one, other FROM entity_merges")}


if __name__ == "__main__":
    main()
