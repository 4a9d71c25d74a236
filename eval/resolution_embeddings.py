"""`python -m eval.resolution_embeddings FOLDER`: whether embeddings would improve entity resolution.

The twelve nearest names by embedding are additional candidates, and cosine similarity is an additional score.
Docyard uses neither; decision 9 contains the results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

import numpy as np

from docyard.facts.resolution.similarity import measure_similarity
from docyard.inference.embedding import embed, find_model
from docyard.store.graph.candidates import EntityVersion, Pair, find_signals
from docyard.store.users import get_or_create_workspace
from docyard.worker.duties.merges import MIN_SIMILARITY, find_pairs
from eval.resolution import RECALL, Edge, count_true_pairs, find_names, merge_groups, precision_at_recall, save_records
from eval.resolution_sets import SETS, Record
from eval.scratch import scratch_database

_NEIGHBOURS = 12
_MIN_COSINES = (0.85, 0.9)


def main() -> None:
    """Print the results of each set."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Usage: python -m eval.resolution_embeddings FOLDER")
    model = find_model()
    if model is None:
        sys.exit("The sentence model is not installed.")
    for name in SETS:
        path = next(iter(Path(sys.argv[1]).rglob(name)), None)
        if path is not None:
            print(name, *_measure_set(model.folder, SETS[name](path)), sep="\n  ")


def _measure_set(model: Path, records: list[Record]) -> Iterator[str]:
    with scratch_database() as database, database.connect() as conn:
        workspace = get_or_create_workspace(conn, "set")
        by_entity = save_records(conn, workspace, records)
        conn.execute("ANALYZE")
        names = find_names(conn, workspace)
        found = {_normalise(pair) for pair in find_pairs(conn, names)}
        started = time.perf_counter()
        cosine = _cosine_matrix(model, names)
        milliseconds = 1000 * (time.perf_counter() - started) / len(names)
        both = found | {_normalise(pair) for pair in _find_nearest(names, cosine)}
        shared = find_signals(conn, list(both))
    signalled = {ends for ends, signal in shared.items() if signal.what != "silence"}
    index = {name.id: number for number, name in enumerate(names)}
    cosines = {pair: float(cosine[index[pair.one], index[pair.other]]) for pair in both if pair[:2] in signalled}
    yield f"{len(names):,} names, {milliseconds:.1f} ms each to embed"
    yield from _measure_methods(by_entity, count_true_pairs(records), cosines, found)
    for threshold in _MIN_COSINES:
        more = [p for p, cos in cosines.items() if cos >= threshold and _similarity(p) < MIN_SIMILARITY]
        correct = sum(any(a.same(b) for a in by_entity[pair.one] for b in by_entity[pair.other]) for pair in more)
        yield f"cosine {threshold}: {len(more)} more proposals, {correct} of them correct"


def _measure_methods(
    by_entity: Mapping[UUID, list[Record]], true: int, cosines: Mapping[Pair, float], found: set[Pair]
) -> Iterator[str]:
    """Yield precision and recall of each method, for pairs with a second signal."""
    for method, with_cosine, pairs in (
        ("candidates by blocks, score by similarity", False, [pair for pair in cosines if pair in found]),
        ("candidates by blocks or embeddings, score by similarity", False, list(cosines)),
        ("candidates by blocks or embeddings, score by similarity or cosine", True, list(cosines)),
    ):
        edges: list[Edge] = []
        for pair in pairs:
            score = max(_similarity(pair), cosines[pair]) if with_cosine else _similarity(pair)
            edges.append((min(score, 0.999), pair.one, pair.other))
        edges.sort(key=lambda edge: (-edge[0], edge[1:]))
        precision, recall = precision_at_recall(merge_groups(by_entity, edges), true)
        yield f"{method}: precision at recall {RECALL} {precision}, highest recall {recall:.3f}"


def _similarity(pair: Pair) -> float:
    return measure_similarity(pair.kind, pair.one_key, pair.other_key)


def _normalise(pair: Pair) -> Pair:
    """Return the pair with the smaller id first and without its rarity, so that equal pairs compare equal."""
    if pair.one > pair.other:
        pair = pair._replace(one=pair.other, other=pair.one, one_key=pair.other_key, other_key=pair.one_key)
    return pair._replace(rare=False)


def _cosine_matrix(model: Path, names: list[EntityVersion]) -> np.ndarray:
    vectors = np.stack([np.frombuffer(row, "<f4") for row in embed(model, [name.key for name in names])])
    return np.asarray(vectors @ vectors.T)


def _find_nearest(names: list[EntityVersion], cosine: np.ndarray) -> Iterator[Pair]:
    for row, one in enumerate(names):
        for column in np.argsort(-cosine[row])[: _NEIGHBOURS + 1]:
            other = names[int(column)]
            if other is not one:
                yield Pair(one.id, other.id, one.kind, one.workspace_id, one.key, other.key)


if __name__ == "__main__":
    main()
