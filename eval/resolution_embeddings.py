"""`python -m eval.resolution_embeddings FOLDER`: whether names near in meaning would tell more names to be one.

The sentence model gives each name the twelve nearest as further candidates, and its cosine as another score;
decision 9 has what came of it. The product does neither.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from uuid import UUID

import numpy as np

from docyard.facts.resolution.similarity import likeness
from docyard.inference.embedding import embed, find_model
from docyard.store.graph.candidates import Named, Pair, signals
from docyard.store.people import get_or_create_workspace
from docyard.worker.duties.merges import ALIKE, find_pairs
from eval.resolution import RECALL, Edge, at_recall, joined, names_in, saved, true_pairs
from eval.resolution_sets import SETS, Record
from eval.scratch import scratch_database

_NEAREST = 12
_NEAR = (0.85, 0.9)


def main() -> None:
    """Print what each set says."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Name a folder.")
    model = find_model()
    if model is None:
        sys.exit("There is no sentence model.")
    for name in SETS:
        path = next(iter(Path(sys.argv[1]).rglob(name)), None)
        if path is not None:
            print(name, *_of_set(model.folder, SETS[name](path)), sep="\n  ")


def _of_set(model: Path, records: list[Record]) -> Iterator[str]:
    with scratch_database() as database, database.connect() as conn:
        workspace = get_or_create_workspace(conn, "set")
        by_entity = saved(conn, workspace, records)
        conn.execute("ANALYZE")
        names = names_in(conn, workspace)
        found = {_once(pair) for pair in find_pairs(conn, names)}
        began = time.perf_counter()
        cosine = _cosines(model, names)
        spent = 1000 * (time.perf_counter() - began) / len(names)
        both = found | {_once(pair) for pair in _nearest(names, cosine)}
        shared = signals(conn, list(both))
    told = {ends for ends, signal in shared.items() if signal.what != "silence"}
    place = {name.id: at for at, name in enumerate(names)}
    meant = {pair: float(cosine[place[pair.one], place[pair.other]]) for pair in both if pair[:2] in told}
    yield f"{len(names):,} names, {spent:.1f} ms each to embed"
    yield from _curves(by_entity, true_pairs(records), meant, found)
    for least in _NEAR:
        more = [p for p, cos in meant.items() if cos >= least and _letters(p) < ALIKE]
        right = sum(
            any(a.same(b) for a in by_entity[pair.one] for b in by_entity[pair.other]) for pair in more
        )
        yield f"cosine {least}: {len(more)} more proposals, {right} of them right"


def _curves(
    by_entity: Mapping[UUID, list[Record]], true: int, meant: Mapping[Pair, float], found: set[Pair]
) -> Iterator[str]:
    """What each way reaches with pairs that have a second signal."""
    for way, with_cosine, pairs in (
        ("blocks, letters", False, [pair for pair in meant if pair in found]),
        ("blocks or meaning, letters", False, list(meant)),
        ("blocks or meaning, letters or meaning", True, list(meant)),
    ):
        edges: list[Edge] = []
        for pair in pairs:
            score = max(_letters(pair), meant[pair]) if with_cosine else _letters(pair)
            edges.append((min(score, 0.999), pair.one, pair.other))
        edges.sort(key=lambda edge: (-edge[0], edge[1:]))
        precision, recall = at_recall(joined(by_entity, edges), true)
        yield f"{way}, a second signal: precision at {RECALL} {precision}, highest recall {recall:.3f}"


def _letters(pair: Pair) -> float:
    return likeness(pair.kind, pair.one_key, pair.other_key)


def _once(pair: Pair) -> Pair:
    """The pair as it is from the lesser of the two; how rare it is does not matter here."""
    if pair.one > pair.other:
        pair = pair._replace(one=pair.other, other=pair.one, one_key=pair.other_key, other_key=pair.one_key)
    return pair._replace(rare=False)


def _cosines(model: Path, names: list[Named]) -> np.ndarray:
    vectors = np.stack([np.frombuffer(row, "<f4") for row in embed(model, [name.key for name in names])])
    return np.asarray(vectors @ vectors.T)


def _nearest(names: list[Named], cosine: np.ndarray) -> Iterator[Pair]:
    for at, one in enumerate(names):
        for near in np.argsort(-cosine[at])[: _NEAREST + 1]:
            other = names[int(near)]
            if other is not one:
                yield Pair(one.id, other.id, one.kind, one.workspace_id, one.key, other.key)


if __name__ == "__main__":
    main()
