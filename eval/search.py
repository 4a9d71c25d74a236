"""`python eval/search.py FOLDER`: ranking quality on the Cranfield collection in the folder.

nDCG@10 of lexical, semantic and hybrid search, compared with BM25 over whole documents, with 95 % bootstrap
intervals over the queries. Documents pass through the chunk stage, the store and the embedding model as in a
worker; queries go through `docyard.search` under the web role.
"""

from __future__ import annotations

import math
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from docyard.db import Connection, Database
from docyard.db.connections import WEB_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.inference.embedding import embed, find_model
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.model.stages import StageInput
from docyard.model.text.pages import Page
from docyard.pipeline.pools import install
from docyard.search import QueryVector, search
from docyard.stages.chunk import run as chunk
from docyard.store import embeddings, results
from docyard.store.users import get_or_create_workspace
from docyard.store.word_counts import fold_text_changes

DEPTH = 10
RESAMPLES = 2000
_WORD = re.compile(r"[a-z0-9]+")
Run = dict[int, list[int]]
Judged = dict[int, dict[int, int]]


@dataclass(frozen=True)
class Article:
    """A document of the collection."""

    title: str
    text: str


def main() -> None:
    """Measure and print the table."""
    if len(sys.argv) != 2:
        sys.exit("Usage: python eval/search.py FOLDER")
    queries = next(Path(sys.argv[1]).rglob("cran.qry"), None)
    if queries is None:
        sys.exit("The folder does not contain the Cranfield collection (cran.qry).")
    print(*table(queries.parent), sep="\n")


def table(folder: Path) -> list[str]:
    """Return the lines of the table, below a title."""
    articles, queries, judged = read(folder)
    runs = {"BM25 over whole documents": plain_bm25(articles, queries), **our_runs(articles, queries)}
    count = sum(map(len, judged.values()))
    lines = [
        f"nDCG@{DEPTH} on Cranfield: {len(articles)} documents, {len(judged)} queries, {count} judgements",
        "",
        f"| ranking | nDCG@{DEPTH} | 95 % interval | seconds per query |",
        "|---|---|---|---|",
    ]
    for name, (run, seconds) in runs.items():
        scores = [ndcg(run.get(query, []), grades) for query, grades in judged.items()]
        low, high = interval(scores)
        lines.append(f"| {name} | {mean(scores):.4f} | {low:.4f} – {high:.4f} | {seconds:.4f} |")
    return lines


def read(folder: Path) -> tuple[dict[int, Article], dict[int, str], Judged]:
    """Return documents, queries in order, and relevance judgements from 4 (complete answer) down to 1."""
    articles = {
        int(number): Article(_field(body, "T"), _field(body, "W"))
        for number, body in _records(folder / "cran.all.1400")
    }
    # The judgements number the queries from 1, regardless of the ids in the file.
    queries = {
        number: _field(body, "W").rstrip(" .") for number, (_, body) in enumerate(_records(folder / "cran.qry"), 1)
    }
    judged: Judged = defaultdict(dict)
    for line in (folder / "cranqrel").read_text().splitlines():
        query, document, code = map(int, line.split()[:3])
        if 1 <= code <= 4:
            judged[query][document] = 5 - code
    return articles, queries, {query: judged[query] for query in queries if judged.get(query)}


def _records(path: Path) -> list[tuple[str, str]]:
    parts = re.split(r"^\.I +(\d+) *\n", path.read_text(), flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def _field(body: str, name: str) -> str:
    found = re.search(rf"^\.{name}\n(.*?)(?=^\.[A-Z]\n|\Z)", body, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def plain_bm25(articles: dict[int, Article], queries: dict[int, str]) -> tuple[Run, float]:
    """Rank by textbook BM25 with k1 = 1.2 and b = 0.75 over lower-case words, without stemming."""
    words = {number: Counter(_WORD.findall(article.text.lower())) for number, article in articles.items()}
    lengths = {number: sum(counts.values()) for number, counts in words.items()}
    mean_length = sum(lengths.values()) / len(lengths)
    frequency = Counter(word for counts in words.values() for word in counts)

    def score(number: int, query: Iterable[str]) -> float:
        length = 1.2 * (0.25 + 0.75 * lengths[number] / mean_length)
        return sum(
            math.log(1 + (len(words) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            * words[number][word] * 2.2 / (words[number][word] + length)
            for word in query
            if word in words[number]
        )  # fmt: skip

    def find(text: str) -> list[int]:
        query = set(_WORD.findall(text.lower()))
        return sorted(words, key=lambda number: (-score(number, query), number))[:DEPTH]

    return run_queries(find, queries)


def our_runs(articles: dict[int, Article], queries: dict[int, str]) -> dict[str, tuple[Run, float]]:
    """Run the queries in each search mode, on a separate embedded server."""
    with tempfile.TemporaryDirectory(prefix="docyard-eval-") as home, EmbeddedServer.attach(Path(home)) as server:
        database = Database(server.conninfo)
        with database.connect() as conn:
            install(conn)
        workspace, numbers = fill(database, articles)
        model = find_model()
        query_vectors = {}
        if model is not None:
            vectors = embed(model.folder, list(queries.values()))
            query_vectors = {
                text: QueryVector(model.fingerprint, embeddings.format_vector(vector))
                for text, vector in zip(queries.values(), vectors, strict=True)
            }
        with database.connect() as conn:
            conn.execute(f"SET ROLE {WEB_ROLE}")
            conn.execute("SELECT set_config('docyard.workspace', %s, false)", (str(workspace),))
            found = {
                f"Docyard, {mode}": run_queries(make_finder(conn, mode, query_vectors, numbers), queries)
                for mode in ("lexical", *(("semantic", "hybrid") if query_vectors else ()))
            }
        database.close()
        return found


def make_finder(
    conn: Connection, mode: str, query_vectors: dict[str, QueryVector], numbers: dict[UUID, int]
) -> Callable[[str], list[int]]:
    """Return a function that searches in one mode, with query vectors that were computed in advance."""

    def find(text: str) -> list[int]:
        result = search(conn, text, limit=DEPTH, mode=mode, meaning=query_vectors.get(text))
        return [numbers[hit.document_id] for hit in result.hits]

    return find


def fill(database: Database, articles: dict[int, Article]) -> tuple[UUID, dict[UUID, int]]:
    """Save every article as a document with chunks and vectors; return the workspace and article numbers."""
    numbers: dict[UUID, int] = {}
    with database.transaction() as conn:
        workspace = get_or_create_workspace(conn, "Cranfield")
        for number, article in articles.items():
            row = conn.execute(
                "INSERT INTO documents (workspace_id, name, title, language, status, completed_at)"
                " VALUES (%s, %s, %s, 'en', 'completed', now()) RETURNING id",
                (workspace, f"{number}.txt", article.title or None),
            ).fetchone()
            if row is None:
                raise RuntimeError("the document was not added")
            numbers[row["id"]] = number
            page = ExtractedText((Page(1, article.text),))
            results.save_chunks(conn, row["id"], workspace, chunk(StageInput([page], Limits())).chunks, "en")
        fold_text_changes(conn, 10**6)
    add_vectors(database)
    with database.connect() as conn:
        conn.execute("ANALYZE")
    return workspace, numbers


def add_vectors(database: Database) -> None:
    """Embed every chunk if a model is installed and vectors can be stored."""
    model = find_model()
    with database.transaction() as conn:
        if model is None or not embeddings.prepare_embeddings(conn):
            return
        number = embeddings.ensure_model(conn, model.name, model.fingerprint, model.dims)
        rows = conn.execute("SELECT id, text FROM chunks ORDER BY id").fetchall()
    vectors = embed(model.folder, [row["text"] for row in rows])
    with database.transaction() as conn:
        embeddings.save_embeddings(conn, number, [row["id"] for row in rows], vectors)


def run_queries(find: Callable[[str], list[int]], queries: dict[int, str]) -> tuple[Run, float]:
    """Return the results of each query, and the mean seconds per query."""
    started = time.perf_counter()
    run = {number: find(text) for number, text in queries.items()}
    return run, (time.perf_counter() - started) / len(queries)


def ndcg(found: list[int], grades: dict[int, int]) -> float:
    """Return the discounted cumulative gain of the first ten results, divided by the best possible."""
    gain = sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(found[:DEPTH]))
    best = sorted(grades.values(), reverse=True)[:DEPTH]
    return gain / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))


def interval(scores: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean."""
    generator = random.Random(1)  # noqa: S311 (not for security)
    means = sorted(mean(generator.choices(scores, k=len(scores))) for _ in range(RESAMPLES))
    return means[RESAMPLES // 40], means[-RESAMPLES // 40]


def mean(scores: list[float]) -> float:
    """Return the mean of the scores."""
    return sum(scores) / len(scores)


if __name__ == "__main__":
    main()
