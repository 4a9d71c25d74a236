"""`python -m bench.search`: how long a search takes among a million passages, under the web role.

Passages are made of words with Zipf's frequencies, in workspaces of different sizes, on a server of its own.
CHUNKS and VECTORS in the environment say how many passages and vectors; vectors are random around a thousand
topics, because what they mean does not matter for the time. FOLDER keeps the database there, and measures the
one that is there already: filling it takes a hundred times as long as measuring.
"""

from __future__ import annotations

import os
import random
import statistics
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import UUID

import numpy as np

from docyard.db import Connection, Database
from docyard.db.connect import WEB_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from docyard.search import Meaning, search
from docyard.store import embeddings
from docyard.store.people import get_or_create_workspace

CHUNKS = int(os.environ.get("CHUNKS", "1000000"))
VECTORS = int(os.environ.get("VECTORS", str(CHUNKS)))
SHARES = {"half": 0.5, "third": 0.3, "small": 0.15, "smaller": 0.049, "tiny": 0.001}
WORDS, PASSAGE, PER_DOCUMENT = 100_000, 70, 20
DIMS, TOPICS = 384, 1000
SEARCHES = 100
FINGERPRINT = "bench"
_HEAD = struct.Struct(">hh")  # of a vector on the wire: how many numbers, and nothing


def main() -> None:
    """Fill, measure, print."""
    with kept_home() as home, EmbeddedServer.attach(home) as server:
        database = Database(server.conninfo, size=4)
        workspaces = filled(database)
        print(f"load average {os.getloadavg()[0]:.1f}\n")
        print(*lines(database, workspaces), sep="\n", flush=True)
        database.close()


@contextmanager
def kept_home() -> Iterator[Path]:
    """The folder of the database: a new one that is deleted, or the one that the environment names."""
    if "FOLDER" in os.environ:
        yield Path(os.environ["FOLDER"])
    else:
        with tempfile.TemporaryDirectory(prefix="docyard-bench-") as home:
            yield Path(home)


def filled(database: Database) -> dict[str, UUID]:
    """The workspaces, filled unless they are."""
    with database.connect() as conn:
        conn.execute("ALTER SYSTEM SET max_wal_size = '8GB'")
        conn.execute("SELECT pg_reload_conf()")
        install(conn)
        if embeddings.find_model(conn, FINGERPRINT):
            return {name: get_or_create_workspace(conn, name) for name in SHARES}
    began = time.perf_counter()
    workspaces = fill(database)
    print(f"{CHUNKS:,} passages of {PASSAGE} words in {time.perf_counter() - began:.0f} s", flush=True)
    began = time.perf_counter()
    add_vectors(database, workspaces)
    print(f"{VECTORS:,} vectors in {time.perf_counter() - began:.0f} s", flush=True)
    return workspaces


def fill(database: Database) -> dict[str, UUID]:
    """Every workspace with its share of the passages; the index is made at the end."""
    with database.transaction() as conn:
        workspaces = {name: get_or_create_workspace(conn, name) for name in SHARES}
        conn.execute("DROP INDEX chunks_terms")
    shares = [(name, part) for name, share in SHARES.items() for part in halves(int(CHUNKS * share))]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda one: add_passages(database, workspaces[one[0]], *one[1]), shares))
    with database.connect() as conn:
        conn.execute("SET maintenance_work_mem = '1GB'")
        conn.execute("CREATE INDEX chunks_terms ON chunks USING gin (scoped_terms(workspace_id, terms))")
        count_words(conn)
        conn.execute("VACUUM ANALYZE")
    return workspaces


def halves(count: int) -> list[tuple[int, int]]:
    """Two parts with seeds of their own, so that two connections fill at once."""
    return [(count - count // 2, count), (count // 2, count + 1)]


def add_passages(database: Database, workspace: UUID, count: int, seed: int) -> None:
    """So many passages of random words."""
    with database.connect() as conn:
        documents = [
            row["id"]
            for row in conn.execute(
                "INSERT INTO documents (workspace_id, name, status, completed_at, language)"
                " SELECT %s, 'd' || n, 'completed', now(), 'en' FROM generate_series(1, %s) n RETURNING id",
                (workspace, -(-count // PER_DOCUMENT)),
            )
        ]
        conn.execute("SET synchronous_commit = off")
        columns = "document_id, workspace_id, ordinal, page, start_offset, end_offset, text, config"
        with conn.cursor().copy(f"COPY chunks ({columns}) FROM STDIN") as copy:
            for n, text in enumerate(texts(count, seed)):
                at = n % PER_DOCUMENT
                copy.write_row(
                    (documents[n // PER_DOCUMENT], workspace, at, 1, 0, len(text), text, "every_english")
                )


def texts(count: int, seed: int) -> Iterator[str]:
    """Passages whose words have Zipf's frequencies."""
    chance = np.random.default_rng(seed)
    rising = np.cumsum(1 / np.arange(1, WORDS + 1))
    vocabulary = np.array([word(n) for n in range(WORDS)], dtype=object)
    for first in range(0, count, 10_000):
        size = (min(10_000, count - first), PASSAGE)
        ranks = np.searchsorted(rising, chance.random(size) * rising[-1])
        yield from (" ".join(row) for row in vocabulary[ranks])


def word(rank: int) -> str:
    """A word that no stemmer changes, the same for the same rank."""
    letters = "bdfghklmnprt"
    made = ""
    while True:
        rank, digit = divmod(rank, len(letters))
        made += letters[digit] + "aou"[digit % 3]
        if rank == 0:
            return made + "k"


def count_words(conn: Connection) -> None:
    """What the store notes when it saves passages, for all of them at once."""
    conn.execute("SET work_mem = '512MB'")
    conn.execute(
        "INSERT INTO lexemes SELECT c.workspace_id, u.lexeme, count(*),"
        " count(*) FILTER (WHERE cardinality(u.positions) >= 3),"
        " count(*) FILTER (WHERE cardinality(u.positions) >= 9)"
        " FROM chunks c CROSS JOIN LATERAL unnest(c.terms) u GROUP BY 1, 2"
    )
    conn.execute(
        "INSERT INTO text_totals SELECT workspace_id, config, count(*), sum(end_offset)"
        " FROM chunks GROUP BY 1, 2"
    )


def add_vectors(database: Database, workspaces: dict[str, UUID]) -> None:
    """Vectors for the first passages of each workspace, then the model's index."""
    chance = np.random.default_rng(1)
    with database.connect() as conn:
        conn.execute("SET maintenance_work_mem = '3GB'")
        row = conn.execute(
            "INSERT INTO embedding_models (name, fingerprint, dims) VALUES ('bench', %s, %s) RETURNING id",
            (FINGERPRINT, DIMS),
        ).fetchone()
        if row is None:
            raise RuntimeError("the model was not added")
        for name, workspace in workspaces.items():
            copy_vectors(conn, row["id"], workspace, int(VECTORS * SHARES[name]), chance)
        embeddings.ensure_model(conn, "bench", FINGERPRINT, DIMS)
        conn.execute("VACUUM ANALYZE chunk_embeddings")


def copy_vectors(
    conn: Connection, model: int, workspace: UUID, most: int, chance: np.random.Generator
) -> None:
    """Vectors for so many passages of a workspace."""
    chunks = conn.execute(
        "SELECT id, document_id FROM chunks WHERE workspace_id = %s ORDER BY id LIMIT %s", (workspace, most)
    ).fetchall()
    columns = "chunk_id, model, document_id, workspace_id, vector"
    with conn.cursor().copy(f"COPY chunk_embeddings ({columns}) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["int8", "int2", "uuid", "uuid", "bytea"])
        for chunk in chunks:
            packed = _HEAD.pack(DIMS, 0) + point(chance).astype(">f2").tobytes()
            copy.write_row((chunk["id"], model, chunk["document_id"], workspace, packed))


def point(chance: np.random.Generator) -> np.ndarray:
    """A point near one of the topics."""
    found: np.ndarray = topics()[chance.integers(TOPICS)] + chance.standard_normal(DIMS, np.float32)
    found /= np.linalg.norm(found)
    return found


@cache
def topics() -> np.ndarray:
    """What passages and searches are about."""
    return np.random.default_rng(0).standard_normal((TOPICS, DIMS), np.float32)


def lines(database: Database, workspaces: dict[str, UUID]) -> Iterator[str]:
    """One table: milliseconds of a search in each mode, by workspace and number of words."""
    yield "| mode | workspace | words | p50 ms | p95 ms | most ms |"
    yield "|---|---|---|---|---|---|"
    for mode in ("lexical", "semantic", "hybrid"):
        for name, workspace in workspaces.items():
            with database.connect() as conn:
                conn.execute(f"SET ROLE {WEB_ROLE}")
                conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
                for count in (1, 3, 10):
                    took = measure(conn, mode, queries(count))
                    cuts = statistics.quantiles(took, n=20)
                    shown = f"{statistics.median(took):.0f} | {cuts[18]:.0f} | {max(took):.0f}"
                    yield f"| {mode} | {name}: {int(CHUNKS * SHARES[name]):,} | {count} | {shown} |"


def queries(count: int) -> list[str]:
    """Words from all over the vocabulary, the commonest included: their ranks are even by logarithm."""
    chance = random.Random(count)  # noqa: S311 (repeatable, not secret)
    ranks = [[int(WORDS ** chance.random()) - 1 for _ in range(count)] for _ in range(SEARCHES)]
    return [" ".join(word(rank) for rank in each) for each in ranks]


def measure(conn: Connection, mode: str, asked: list[str]) -> list[float]:
    """Milliseconds of each search; the vector of a query is made before, because a child makes it."""
    chance = np.random.default_rng(2)
    meanings = [Meaning(FINGERPRINT, str(point(chance).tolist())) for _ in asked]

    def once(place: int) -> None:
        search(conn, asked[place], mode=mode, meaning=meanings[place] if mode != "lexical" else None)

    return [timed(once, place) for place in range(len(asked))]


def timed(act: Callable[[int], None], place: int) -> float:
    """The milliseconds an act takes."""
    began = time.perf_counter()
    act(place)
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
