"""`python -m eval.resolution FOLDER`: how well names are told to be one, beside their letters alone.

Each record of a set is saved as a document that mentions a name and what stands beside it; entities are made,
and candidates found, as a worker does.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from uuid import UUID

from docyard.db import Connection
from docyard.facts.resolution.keys import entity_key
from docyard.facts.resolution.similarity import lcs_ratio, likeness
from docyard.model.documents import Document, NewDocument
from docyard.model.facts import Canonical, EntityKey, Mention, Span
from docyard.store import facts
from docyard.store.documents import get_document, insert_document
from docyard.store.graph.candidates import Named, Pair, signals, uncompared
from docyard.store.people import get_or_create_workspace
from docyard.worker.duties.merges import ALIKE, find_pairs, is_telling, weighed
from eval.quality_page import put
from eval.resolution_sets import SETS, Record
from eval.scratch import scratch_database

SECTION = ("resolution", "Names told to be one")
RECALL = 0.8
_HOW = """
Each record is saved as a document; pairs are those of records that are the same in truth. For ours, merges
compose: what is one with the same is one. The letters of the names are compared all with all, each pair by
itself; it is what rapidfuzz calls their ratio. The precision is the best of all thresholds that reach the
recall. What is proposed to people has a second signal and names 88 % alike, or a name that is part of the
other and a phone number, e-mail address, account or VAT number beside both, or rare names 92 % alike and
nothing that speaks against it; right are those that bring records of one thing together. The records of
patstat_reference.csv have nothing but names. `python -m eval.resolution FOLDER`.
""".strip()
PROPOSED = "that, or a rare name and nothing against it"
Edge = tuple[float, UUID, UUID]  # how alike two entities are
Scored = tuple[float, int, int]  # a score, how many pairs of records have it, and how many of them are right


def main() -> None:
    """Measure, and write the section of docs/quality.md."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Name a folder.")
    put(*SECTION, body := table(Path(sys.argv[1])))
    print(body)


def table(folder: Path) -> str:
    """Precision at a recall of .8, or the recall that was reached, for each set; "" where there is none."""
    if not any(next(folder.rglob(name), None) for name in SETS):
        return ""
    return f"{_HOW}\n\n" + "\n".join(_lines(folder))


def _lines(folder: Path) -> list[str]:
    told = [
        f"| set | records | true pairs | compared by | precision at recall {RECALL} | highest recall |",
        "|---|---|---|---|---|---|",
    ]
    made = ["", "| set | proposals | right | recall of all pairs once confirmed |", "|---|---|---|---|"]
    with scratch_database() as database, database.connect() as conn:
        for name, read in SETS.items():
            path = next(iter(folder.rglob(name)), None)
            if path is not None:
                rows, proposals = _of_set(conn, name, read(path))
                told += rows
                made.append(proposals)
    return told + made


def _of_set(conn: Connection, name: str, records: Sequence[Record]) -> tuple[list[str], str]:
    true = true_pairs(records)
    by_entity, ways = _ways(conn, name, records)
    rows = []
    for way, edges in ways.items():
        found = joined(by_entity, edges) if edges is not None else _letters(records)
        precision, recall = at_recall(found, true)
        shown = "not reached" if precision is None else f"{precision:.3f}"
        rows.append(f"| {name} | {len(records):,} | {true:,} | {way} | {shown} | {recall:.3f} |")
    proposed = [edge for edge in ways[PROPOSED] or () if edge[0] >= ALIKE]
    right = sum(
        any(a.same(b) for a in by_entity[one] for b in by_entity[other]) for _, one, other in proposed
    )
    reached = sum(found[2] for found in joined(by_entity, proposed)) / true
    share = f"{right / len(proposed):.3f}" if proposed else ""
    return rows, f"| {name} | {len(proposed):,} | {share} | {reached:.3f} |"


def true_pairs(records: Sequence[Record]) -> int:
    """How many pairs of records are the same in truth."""
    return sum(1 for one, other in combinations(records, 2) if one.pairs_with(other) and one.same(other))


def at_recall(found: Iterable[Scored], true: int) -> tuple[float | None, float]:
    """The best precision of all thresholds that reach the recall, and the recall without a threshold."""
    by_score: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, pairs, right in found:
        by_score[score][0] += pairs
        by_score[score][1] += right
    pairs = right = 0
    best = None
    for score in sorted(by_score, reverse=True):
        pairs += by_score[score][0]
        right += by_score[score][1]
        if pairs and right / true >= RECALL:
            best = max(best or 0.0, right / pairs)
    return best, right / true


def _ways(
    conn: Connection, name: str, records: Sequence[Record]
) -> tuple[dict[UUID, list[Record]], dict[str, list[Edge] | None]]:
    """The records of each entity, and what each way of comparing brings together, the most alike first."""
    workspace = get_or_create_workspace(conn, name)
    by_entity = saved(conn, workspace, records)
    conn.execute("ANALYZE")
    found = find_pairs(conn, names_in(conn, workspace))
    shared = signals(conn, found)
    scores = {pair: min(likeness(pair.kind, pair.one_key, pair.other_key), 0.999) for pair in found}
    told = [pair for pair in found if pair[:2] in shared]
    signalled = [pair for pair in told if shared[pair[:2]].what != "silence"]
    proposed = [pair for pair in told if is_telling(pair, scores[pair], shared[pair[:2]])]
    weights = {pair: weighed(pair, scores[pair], shared[pair[:2]]) for pair in told}
    return by_entity, {
        "letters of the names as written": None,
        "key and likeness": _edges(scores, found),
        "key, likeness and a second signal": _edges(scores, signalled),
        "the same, or a part of a name and a number of one's own": _edges(weights, signalled),
        PROPOSED: _edges(weights, proposed),
    }


def names_in(conn: Connection, workspace: UUID) -> list[Named]:
    """The organisations of a workspace, which the records name; not the places beside them."""
    found = uncompared(conn, 10_000_000)
    return [each for each in found if each.workspace_id == workspace and each.kind == "organisation"]


def _edges(scores: Mapping[Pair, float], pairs: Iterable[Pair]) -> list[Edge]:
    """Each pair once, the most alike first."""
    once = {(scores[pair], min(pair[:2]), max(pair[:2])) for pair in pairs}
    return sorted(once, key=lambda edge: (-edge[0], edge[1:]))


def joined(by_entity: Mapping[UUID, Sequence[Record]], edges: Iterable[Edge]) -> Iterator[Scored]:
    """What comes together if one merge after another is confirmed: what is one with the same is one."""
    groups = {entity: (entity, list(members)) for entity, members in by_entity.items()}
    for members in by_entity.values():
        yield (1.0, *_count(members, members))
    for score, one, other in edges:
        (first, members), (second, others) = groups[one], groups[other]
        if first == second:
            continue
        yield (score, *_count(members, others))
        together = (first, members + others)
        groups.update({entity: together for entity, group in groups.items() if group[0] in (first, second)})


def _letters(records: Sequence[Record]) -> Iterator[Scored]:
    """Every pair of names by their common letters, which is what rapidfuzz calls their ratio."""
    by_name: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_name[record.name.casefold().strip()].append(record)
    for members in by_name.values():
        yield (1.0, *_count(members, members))
    for one, other in combinations(by_name, 2):
        yield (lcs_ratio(one, other), *_count(by_name[one], by_name[other]))


def _count(one: Sequence[Record], other: Sequence[Record]) -> tuple[int, int]:
    """Pairs of records, one from each, and how many of them are the same in truth."""
    pairs = combinations(one, 2) if one is other else ((a, b) for a in one for b in other)
    told = [a.same(b) for a, b in pairs if a.pairs_with(b)]
    return len(told), sum(told)


def saved(conn: Connection, workspace: UUID, records: Sequence[Record]) -> dict[UUID, list[Record]]:
    """Save each record as a document; gives the records of each entity."""
    found: dict[UUID, list[Record]] = defaultdict(list)
    for number, record in enumerate(records):
        key = EntityKey("organisation", entity_key("organisation", record.name))
        if key.key:
            with conn.transaction():
                _save(conn, _document(conn, workspace, number), record)
            found[facts.entity_id(workspace, key)].append(record)
    return found


def _document(conn: Connection, workspace: UUID, number: int) -> Document:
    digest = f"{number:064x}"
    new = NewDocument(workspace, f"{number}", "cli", digest, 1, f"{workspace}/{digest}")
    return get_document(conn, insert_document(conn, new).document_id)


def _save(conn: Connection, document: Document, record: Record) -> None:
    named = [("organisation", record.name), *record.beside]
    mentions, at = [], 0
    for kind, text in named:
        mentions.append(Mention(kind, Span(1, at, at + len(text)), text, text, 1.0, "rule"))
        at += len(text) + 1
    facts.save_mentions(conn, document, mentions)
    keyed = [Canonical(each, entity_key(each.kind, each.normal)) for each in mentions]
    facts.save_canonical(conn, document, keyed)


if __name__ == "__main__":
    main()
