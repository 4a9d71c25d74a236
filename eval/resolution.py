"""`python -m eval.resolution FOLDER`: quality of entity resolution, compared with string similarity alone.

Each record of a set is saved as a document that mentions a name and its contact details. Entities are created
and candidates found by the same functions as in a worker.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from uuid import UUID

from docyard.db import Connection
from docyard.facts.resolution.keys import make_entity_key
from docyard.facts.resolution.similarity import lcs_ratio, measure_similarity
from docyard.model.documents import Document, NewDocument
from docyard.model.facts import CanonicalMention, EntityKey, Mention, Span
from docyard.store import facts
from docyard.store.documents import get_document, insert_document
from docyard.store.graph.candidates import EntityVersion, Pair, find_signals, list_uncompared
from docyard.store.users import get_or_create_workspace
from docyard.worker.duties.merges import MIN_SIMILARITY, find_pairs, is_sufficient, score_pair
from eval.quality_page import put_section
from eval.resolution_sets import SETS, Record
from eval.scratch import scratch_database

SECTION = ("resolution", "Entity resolution")
RECALL = 0.8
_METHOD = """
Each record is saved as a document. True pairs are pairs of records of the same entity. Docyard's merges are
transitive; string similarity compares every pair of names separately, by the ratio of rapidfuzz. The
precision is the best of all thresholds that reach the recall. A merge is proposed to users if there is a
second signal and the names are 88 % similar; if one name is part of the other and both have the same phone
number, e-mail address, account or VAT number; or if rare names are 92 % similar and nothing contradicts the
merge. A proposal is correct if it joins records of the same entity. The records of patstat_reference.csv
contain only names. `python -m eval.resolution FOLDER`.
""".strip()
PROPOSED = "also rare names without a contradiction"
Edge = tuple[float, UUID, UUID]  # similarity and ids of two entities
Scored = tuple[float, int, int]  # a score, the number of pairs of records with it, and how many are correct


def main() -> None:
    """Measure and write the section of docs/measurements/quality.md."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Usage: python -m eval.resolution FOLDER")
    put_section(*SECTION, body := table(Path(sys.argv[1])))
    print(body)


def table(folder: Path) -> str:
    """Return tables of precision and proposals for all sets, or an empty string if there is no set."""
    if not any(next(folder.rglob(name), None) for name in SETS):
        return ""
    return f"{_METHOD}\n\n" + "\n".join(_make_lines(folder))


def _make_lines(folder: Path) -> list[str]:
    precisions = [
        f"| set | records | true pairs | compared by | precision at recall {RECALL} | highest recall |",
        "|---|---|---|---|---|---|",
    ]
    proposals = ["", "| set | proposals | correct | recall if all are confirmed |", "|---|---|---|---|"]
    with scratch_database() as database, database.connect() as conn:
        for name, read in SETS.items():
            path = next(iter(folder.rglob(name)), None)
            if path is not None:
                rows, row = _measure_set(conn, name, read(path))
                precisions += rows
                proposals.append(row)
    return precisions + proposals


def _measure_set(conn: Connection, name: str, records: Sequence[Record]) -> tuple[list[str], str]:
    true = count_true_pairs(records)
    by_entity, methods = _compare_methods(conn, name, records)
    rows = []
    for method, edges in methods.items():
        found = merge_groups(by_entity, edges) if edges is not None else _compare_strings(records)
        precision, recall = precision_at_recall(found, true)
        shown = "not reached" if precision is None else f"{precision:.3f}"
        rows.append(f"| {name} | {len(records):,} | {true:,} | {method} | {shown} | {recall:.3f} |")
    proposed = [edge for edge in methods[PROPOSED] or () if edge[0] >= MIN_SIMILARITY]
    correct = sum(any(a.same(b) for a in by_entity[one] for b in by_entity[other]) for _, one, other in proposed)
    recall = sum(found[2] for found in merge_groups(by_entity, proposed)) / true
    share = f"{correct / len(proposed):.3f}" if proposed else ""
    return rows, f"| {name} | {len(proposed):,} | {share} | {recall:.3f} |"


def count_true_pairs(records: Sequence[Record]) -> int:
    """Return the number of pairs of records of the same entity."""
    return sum(1 for one, other in combinations(records, 2) if one.pairs_with(other) and one.same(other))


def precision_at_recall(found: Iterable[Scored], true: int) -> tuple[float | None, float]:
    """Return the best precision of the thresholds that reach RECALL, or None, and the highest recall."""
    by_score: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, pairs, correct in found:
        by_score[score][0] += pairs
        by_score[score][1] += correct
    pairs = correct = 0
    best = None
    for score in sorted(by_score, reverse=True):
        pairs += by_score[score][0]
        correct += by_score[score][1]
        if pairs and correct / true >= RECALL:
            best = max(best or 0.0, correct / pairs)
    return best, correct / true


def _compare_methods(
    conn: Connection, name: str, records: Sequence[Record]
) -> tuple[dict[UUID, list[Record]], dict[str, list[Edge] | None]]:
    """Return the records of each entity, and the pairs that each method joins, most similar first.

    The pairs are None for string similarity, which compares names instead of entities.
    """
    workspace = get_or_create_workspace(conn, name)
    by_entity = save_records(conn, workspace, records)
    conn.execute("ANALYZE")
    found = find_pairs(conn, find_names(conn, workspace))
    shared = find_signals(conn, found)
    scores = {pair: min(measure_similarity(pair.kind, pair.one_key, pair.other_key), 0.999) for pair in found}
    judged = [pair for pair in found if pair[:2] in shared]
    signalled = [pair for pair in judged if shared[pair[:2]].what != "silence"]
    proposed = [pair for pair in judged if is_sufficient(pair, scores[pair], shared[pair[:2]])]
    weights = {pair: score_pair(pair, scores[pair], shared[pair[:2]]) for pair in judged}
    return by_entity, {
        "string similarity": None,
        "key and similarity": _make_edges(scores, found),
        "key, similarity and a second signal": _make_edges(scores, signalled),
        "also partial names with a shared number": _make_edges(weights, signalled),
        PROPOSED: _make_edges(weights, proposed),
    }


def find_names(conn: Connection, workspace: UUID) -> list[EntityVersion]:
    """Return the organisations of a workspace that have not been compared: the names of the records."""
    found = list_uncompared(conn, 10_000_000)
    return [each for each in found if each.workspace_id == workspace and each.kind == "organisation"]


def _make_edges(scores: Mapping[Pair, float], pairs: Iterable[Pair]) -> list[Edge]:
    """Return each pair once, most similar first."""
    once = {(scores[pair], min(pair[:2]), max(pair[:2])) for pair in pairs}
    return sorted(once, key=lambda edge: (-edge[0], edge[1:]))


def merge_groups(by_entity: Mapping[UUID, Sequence[Record]], edges: Iterable[Edge]) -> Iterator[Scored]:
    """Yield counts of the record pairs within each entity, then of those that each merge by an edge joins."""
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


def _compare_strings(records: Sequence[Record]) -> Iterator[Scored]:
    """Yield the string similarity of each pair of names (the ratio of rapidfuzz) and its record pairs."""
    by_name: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_name[record.name.casefold().strip()].append(record)
    for members in by_name.values():
        yield (1.0, *_count(members, members))
    for one, other in combinations(by_name, 2):
        yield (lcs_ratio(one, other), *_count(by_name[one], by_name[other]))


def _count(one: Sequence[Record], other: Sequence[Record]) -> tuple[int, int]:
    """Return the number of pairs with a record from each group, and how many are of the same entity."""
    pairs = combinations(one, 2) if one is other else ((a, b) for a in one for b in other)
    same = [a.same(b) for a, b in pairs if a.pairs_with(b)]
    return len(same), sum(same)


def save_records(conn: Connection, workspace: UUID, records: Sequence[Record]) -> dict[UUID, list[Record]]:
    """Save each record as a document, and return the records of each entity."""
    found: dict[UUID, list[Record]] = defaultdict(list)
    for number, record in enumerate(records):
        key = EntityKey("organisation", make_entity_key("organisation", record.name))
        if key.key:
            with conn.transaction():
                _save_mentions(conn, _add_document(conn, workspace, number), record)
            found[facts.entity_id(workspace, key)].append(record)
    return found


def _add_document(conn: Connection, workspace: UUID, number: int) -> Document:
    digest = f"{number:064x}"
    new = NewDocument(workspace, f"{number}", "cli", digest, 1, f"{workspace}/{digest}")
    return get_document(conn, insert_document(conn, new).document_id)


def _save_mentions(conn: Connection, document: Document, record: Record) -> None:
    texts = [("organisation", record.name), *record.contacts]
    mentions, offset = [], 0
    for kind, text in texts:
        mentions.append(Mention(kind, Span(1, offset, offset + len(text)), text, text, 1.0, "rule"))
        offset += len(text) + 1
    facts.save_mentions(conn, document, mentions)
    canonical = [CanonicalMention(each, make_entity_key(each.kind, each.normal)) for each in mentions]
    facts.save_canonical_mentions(conn, document, canonical)


if __name__ == "__main__":
    main()
