"""`python -m eval.resolution FOLDER`: how well names are told to be one, beside their letters alone.

Each record of a set is saved as a document that mentions a name and what stands beside it; entities are made,
and candidates found, as a worker does. `--cost N…` measures what one comparison costs among N made-up names.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from uuid import UUID

from docyard.db import Connection
from docyard.engines.canonical import entity_key, likeness
from docyard.engines.canonical.likeness import ratio
from docyard.model.documents import Document, NewDocument
from docyard.model.facts import Canonical, EntityKey, Mention, Span
from docyard.store import facts
from docyard.store.comparing import candidates, signals
from docyard.store.documents import get_document, insert_document
from docyard.store.people import get_or_create_workspace
from eval.resolution_sets import SETS, Record
from eval.scratch import scratch_database

RECALL = 0.8
Scored = tuple[float, int, int]  # a score, how many pairs of records have it, and how many of them are right


def main() -> None:
    """Print the tables."""
    if sys.argv[1:2] == ["--cost"]:
        print(*cost([int(n) for n in sys.argv[2:]]), sep="\n")
    elif len(sys.argv) == 2 and Path(sys.argv[1]).is_dir():
        print(*table(Path(sys.argv[1])), sep="\n")
    else:
        sys.exit("Name a folder, or --cost and sizes.")


def table(folder: Path) -> list[str]:
    """Precision at a recall of .8, or the recall that was reached, for each set."""
    lines = [
        f"| set | records | true pairs | compared by | precision at recall {RECALL} | highest recall |",
        "|---|---|---|---|---|---|",
    ]
    with scratch_database() as database, database.connect() as conn:
        for name, read in SETS.items():
            path = next(iter(folder.rglob(name)), None)
            if path is None:
                continue
            records = read(path)
            true = sum(
                1 for one, other in combinations(records, 2) if one.pairs_with(other) and one.same(other)
            )
            for way, found in _ways(conn, name, records).items():
                precision, recall = at_recall(found, true)
                shown = "not reached" if precision is None else f"{precision:.3f}"
                lines.append(f"| {name} | {len(records):,} | {true:,} | {way} | {shown} | {recall:.3f} |")
    return lines


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


def _ways(conn: Connection, name: str, records: Sequence[Record]) -> dict[str, Iterable[Scored]]:
    workspace = get_or_create_workspace(conn, name)
    by_entity = _saved(conn, workspace, records)
    conn.execute("ANALYZE")
    found = candidates(conn, by_entity)
    shared = signals(conn, found)
    scores = {
        (min(pair.one, pair.other), max(pair.one, pair.other)): min(
            likeness(pair.kind, pair.one_key, pair.other_key), 0.999
        )
        for pair in found
    }
    both = sorted(((score, *pair) for pair, score in scores.items()), key=lambda edge: (-edge[0], edge[1:]))
    told = [edge for edge in both if edge[1:] in shared or (edge[2], edge[1]) in shared]
    return {
        "letters of the names as written": _letters(records),
        "key and likeness": joined(by_entity, both),
        "key, likeness and a second signal": joined(by_entity, told),
    }


def joined(
    by_entity: Mapping[UUID, Sequence[Record]], edges: Iterable[tuple[float, UUID, UUID]]
) -> Iterator[Scored]:
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
        yield (ratio(one, other), *_count(by_name[one], by_name[other]))


def _count(one: Sequence[Record], other: Sequence[Record]) -> tuple[int, int]:
    """Pairs of records, one from each, and how many of them are the same in truth."""
    pairs = combinations(one, 2) if one is other else ((a, b) for a in one for b in other)
    told = [a.same(b) for a, b in pairs if a.pairs_with(b)]
    return len(told), sum(told)


def _saved(conn: Connection, workspace: UUID, records: Sequence[Record]) -> dict[UUID, list[Record]]:
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


def cost(sizes: Sequence[int], tried: int = 300) -> list[str]:
    """Milliseconds to find and compare the candidates of one entity among so many."""
    lines = ["| names | ms a name | candidates a name |", "|---|---|---|"]
    with scratch_database() as database, database.connect() as conn:
        for size in sizes:
            workspace = get_or_create_workspace(conn, f"{size} names")
            ids = _made_up(conn, workspace, size)
            chosen = random.Random(size).sample(ids, min(tried, size))  # noqa: S311 (no secret)
            began, found = time.perf_counter(), 0
            for at in range(0, len(chosen), 25):
                with conn.transaction():
                    pairs = candidates(conn, chosen[at : at + 25])
                    found += sum(likeness(each.kind, each.one_key, each.other_key) > 0 for each in pairs)
            spent = time.perf_counter() - began
            lines.append(f"| {size:,} | {1000 * spent / len(chosen):.2f} | {found / len(chosen):.1f} |")
    return lines


def _made_up(conn: Connection, workspace: UUID, size: int) -> list[UUID]:
    """Names of two to four words, the common ones common, some of them with a slip."""
    chance = random.Random(size)  # noqa: S311 (no secret)
    syllables = [a + b for a in "bcdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "or")]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(max(size // 5, 1000))]
    ids: list[UUID] = []
    for start in range(0, size, 10_000):
        keys = {
            " ".join(words[int(len(words) * chance.random() ** 2)] for _ in range(chance.randint(2, 4)))
            for _ in range(min(10_000, size - start))
        }
        rows = [(facts.entity_id(workspace, EntityKey("organisation", key)), key) for key in keys]
        ids += [number for number, _ in rows]
        conn.execute(
            "INSERT INTO entities (id, workspace_id, kind, key, name)"
            " SELECT g.id, %s, 'organisation', g.key, g.key"
            " FROM unnest(%s::uuid[], %s::text[]) AS g (id, key)"
            " ON CONFLICT DO NOTHING",
            (workspace, [number for number, _ in rows], [key for _, key in rows]),
        )
    conn.execute("VACUUM ANALYZE entities")
    return ids


if __name__ == "__main__":
    main()
