"""`python -m bench.search`: the duration of a search among a million passages, under the web role.

Passages consist of words with Zipf frequencies, in workspaces of different sizes, on a separate server.
CHUNKS and VECTORS in the environment set the number of passages and vectors. Vectors are random points around
a thousand topics, because their content does not affect the time. With FOLDER, the database is kept in this
folder and an existing one is reused, because filling takes a hundred times as long as measuring.
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
from docyard.db.connections import WEB_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from docyard.search import QueryVector, search
from docyard.store import embeddings
from docyard.store.users import get_or_create_workspace

CHUNKS = int(os.environ.get("CHUNKS", "1000000"))
VECTORS = int(os.environ.get("VECTORS", str(CHUNKS)))
SHARES = {"half": 0.5, "third": 0.3, "small": 0.15, "smaller": 0.049, "tiny": 0.001}
WORDS, PASSAGE, PER_DOCUMENT = 100_000, 70, 20
DIMS, TOPICS = 384, 1000
SEARCHES = 100
FINGERPRINT = "bench"
_VECTOR_HEADER = struct.Struct(">hh")  # binary format of pgvector: number of dimensions, and zero


def main() -> None:
    """Fill the database, measure, and print the table."""
    with open_home() as home, EmbeddedServer.attach(home) as server:
        database = Database(server.conninfo, size=4)
        workspaces = ensure_filled(database)
        print(f"load average {os.getloadavg()[0]:.1f}\n")
        print(*lines(database, workspaces), sep="\n", flush=True)
        database.close()


@contextmanager
def open_home() -> Iterator[Path]:
    """Yield the folder of the database: FOLDER of the environment, or a temporary one."""
    if "FOLDER" in os.environ:
        yield Path(os.environ["FOLDER"])
    else:
        with tempfile.TemporaryDirectory(prefix="docyard-bench-") as home:
            yield Path(home)


def ensure_filled(database: Database) -> dict[str, UUID]:
    """Fill the workspaces unless they are already filled, and return their ids by name."""
    with database.connect() as conn:
        conn.execute("ALTER SYSTEM SET max_wal_size = '8GB'")
        conn.execute("SELECT pg_reload_conf()")
        install(conn)
        if embeddings.find_model(conn, FINGERPRINT):
            return {name: get_or_create_workspace(conn, name) for name in SHARES}
    started = time.perf_counter()
    workspaces = fill(database)
    print(f"{CHUNKS:,} passages of {PASSAGE} words in {time.perf_counter() - started:.0f} s", flush=True)
    started = time.perf_counter()
    add_vectors(database, workspaces)
    print(f"{VECTORS:,} vectors in {time.perf_counter() - started:.0f} s", flush=True)
    return workspaces


def fill(database: Database) -> dict[str, UUID]:
    """Fill each workspace with its share of the passages, and create the index afterwards."""
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
    """Return count and seed of each of two halves, which two connections fill in parallel."""
    return [(count - count // 2, count), (count // 2, count + 1)]


def add_passages(database: Database, workspace: UUID, count: int, seed: int) -> None:
    """Add this many passages of random words."""
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
                ordinal = n % PER_DOCUMENT
                copy.write_row(
                    (documents[n // PER_DOCUMENT], workspace, ordinal, 1, 0, len(text), text, "every_english")
                )


def texts(count: int, seed: int) -> Iterator[str]:
    """Yield passages whose word frequencies follow Zipf's law."""
    generator = np.random.default_rng(seed)
    cumulative = np.cumsum(1 / np.arange(1, WORDS + 1))
    vocabulary = np.array([word(n) for n in range(WORDS)], dtype=object)
    for first in range(0, count, 10_000):
        size = (min(10_000, count - first), PASSAGE)
        ranks = np.searchsorted(cumulative, generator.random(size) * cumulative[-1])
        yield from (" ".join(row) for row in vocabulary[ranks])


def word(rank: int) -> str:
    """Return the word of this frequency rank; stemming does not change it."""
    consonants = "bdfghklmnprt"
    text = ""
    while True:
        rank, digit = divmod(rank, len(consonants))
        text += consonants[digit] + "aou"[digit % 3]
        if rank == 0:
            return text + "k"


def count_words(conn: Connection) -> None:
    """Fill the word counts of all passages, which the store otherwise updates when it saves them."""
    conn.execute("SET work_mem = '512MB'")
    conn.execute(
        "INSERT INTO lexemes SELECT c.workspace_id, u.lexeme, count(*),"
        " count(*) FILTER (WHERE cardinality(u.positions) >= 3),"
        " count(*) FILTER (WHERE cardinality(u.positions) >= 9)"
        " FROM chunks c CROSS JOIN LATERAL unnest(c.terms) u GROUP BY 1, 2"
    )
    conn.execute(
        "INSERT INTO text_totals SELECT workspace_id, config, count(*), sum(end_offset) FROM chunks GROUP BY 1, 2"
    )


def add_vectors(database: Database, workspaces: dict[str, UUID]) -> None:
    """Add vectors for the first passages of each workspace, then create the model's index."""
    generator = np.random.default_rng(1)
    with database.connect() as conn:
        conn.execute("SET maintenance_work_mem = '3GB'")
        row = conn.execute(
            "INSERT INTO embedding_models (name, fingerprint, dims) VALUES ('bench', %s, %s) RETURNING id",
            (FINGERPRINT, DIMS),
        ).fetchone()
        if row is None:
            raise RuntimeError("the model was not added")
        for name, workspace in workspaces.items():
            copy_vectors(conn, row["id"], workspace, int(VECTORS * SHARES[name]), generator)
        embeddings.ensure_model(conn, "bench", FINGERPRINT, DIMS)
        conn.execute("VACUUM ANALYZE chunk_embeddings")


def copy_vectors(conn: Connection, model: int, workspace: UUID, limit: int, generator: np.random.Generator) -> None:
    """Add vectors for at most this many passages of a workspace."""
    chunks = conn.execute(
        "SELECT id, document_id FROM chunks WHERE workspace_id = %s ORDER BY id LIMIT %s", (workspace, limit)
    ).fetchall()
    columns = "chunk_id, model, document_id, workspace_id, vector"
    with conn.cursor().copy(f"COPY chunk_embeddings ({columns}) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["int8", "int2", "uuid", "uuid", "bytea"])
        for chunk in chunks:
            packed = _VECTOR_HEADER.pack(DIMS, 0) + random_point(generator).astype(">f2").tobytes()
            copy.write_row((chunk["id"], model, chunk["document_id"], workspace, packed))


def random_point(generator: np.random.Generator) -> np.ndarray:
    """Return a random unit vector near one of the topics."""
    point: np.ndarray = topics()[generator.integers(TOPICS)] + generator.standard_normal(DIMS, np.float32)
    point /= np.linalg.norm(point)
    return point


@cache
def topics() -> np.ndarray:
    """Return the vectors of the topics."""
    return np.random.default_rng(0).standard_normal((TOPICS, DIMS), np.float32)


def lines(database: Database, workspaces: dict[str, UUID]) -> Iterator[str]:
    """Yield the table of search times by mode, workspace and number of words."""
    yield "| mode | workspace | words | p50 ms | p95 ms | max ms |"
    yield "|---|---|---|---|---|---|"
    for mode in ("lexical", "semantic", "hybrid"):
        for name, workspace in workspaces.items():
            with database.connect() as conn:
                conn.execute(f"SET ROLE {WEB_ROLE}")
                conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
                for count in (1, 3, 10):
                    times = measure(conn, mode, queries(count))
                    cuts = statistics.quantiles(times, n=20)
                    shown = f"{statistics.median(times):.0f} | {cuts[18]:.0f} | {max(times):.0f}"
                    yield f"| {mode} | {name}: {int(CHUNKS * SHARES[name]):,} | {count} | {shown} |"


def queries(count: int) -> list[str]:
    """Return queries of this many words; the words' ranks are uniform on a logarithmic scale."""
    generator = random.Random(count)  # noqa: S311 (not for security)
    ranks = [[int(WORDS ** generator.random()) - 1 for _ in range(count)] for _ in range(SEARCHES)]
    return [" ".join(word(rank) for rank in each) for each in ranks]


def measure(conn: Connection, mode: str, texts: list[str]) -> list[float]:
    """Return the milliseconds of each search, without the time for embedding the query."""
    generator = np.random.default_rng(2)
    query_vectors = [QueryVector(FINGERPRINT, str(random_point(generator).tolist())) for _ in texts]

    def run(index: int) -> None:
        search(conn, texts[index], mode=mode, meaning=query_vectors[index] if mode != "lexical" else None)

    return [measure_call(run, index) for index in range(len(texts))]


def measure_call(function: Callable[[int], None], argument: int) -> float:
    """Return the milliseconds that a call takes."""
    started = time.perf_counter()
    function(argument)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
