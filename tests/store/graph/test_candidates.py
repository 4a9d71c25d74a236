"""The cost of comparing an entity with others does not depend on the number of entities."""

from __future__ import annotations

from uuid import UUID

import pytest

from docyard.db import Connection, Database
from docyard.pipeline.run import Pipeline
from docyard.store.graph.candidates import EntityVersion, Pair
from docyard.worker.duties import merges as duty
from docyard.worker.duties.merges import DUTY, compare_batch, find_pairs, hash_blocking_keys
from tests.builders.statements import record_statements
from tests.queue.query_plans import count_rows_read, find_table_nodes, record_plans
from tests.store.graph.mention_writer import MentionWriter
from tests.worker.duties.duty_runs import do

NAMES = 50_000
COMMON = 50
FIRST, SECOND = "halvorsen quay marine", "walvorsen quay marine"  # not neighbours in key order


def fill(conn: Connection, workspace: UUID, size: int) -> None:
    """Add entities that share a word, with their blocks."""
    conn.execute(
        "INSERT INTO entities (id, workspace_id, kind, key, name, compared_at)"
        " SELECT gen_random_uuid(), %s, 'organisation', 'w' || n || ' marine', 'W', now()"
        " FROM generate_series(1, %s) AS n",
        (workspace, size),
    )
    (marine,) = (each.number for each in hash_blocking_keys(workspace, "organisation", "marine") if each.word)
    conn.execute(
        "INSERT INTO entity_blocks (entity_id, blocks)"
        " SELECT id, ARRAY[%s, hashtextextended(key, 0)] FROM entities WHERE workspace_id = %s",
        (marine, workspace),
    )


def make_version(writer: MentionWriter, key: str) -> EntityVersion:
    return EntityVersion(writer.id("organisation", key), writer.workspace, "organisation", key, "")


def get_keys(pairs: list[Pair]) -> set[tuple[str, str]]:
    return {(pair.one_key, pair.other_key) for pair in pairs}


@pytest.mark.parametrize("analysed", [True, False], ids=["analysed", "never analysed"])
def test_a_comparison_reads_few_rows_among_many_entities(
    database: Database, writer: MentionWriter, workspace: UUID, analysed: bool
) -> None:
    writer.put("one", ("organisation", FIRST), ("organisation", SECOND))
    with database.connect() as conn:
        fill(conn, workspace, NAMES)
        if analysed:
            conn.execute("ANALYZE")
        both = [make_version(writer, FIRST), make_version(writer, SECOND)]
        assert (FIRST, SECOND) in get_keys(find_pairs(conn, both)), "the first run records the common block"
        with record_plans(conn) as nodes, conn.transaction():
            assert (FIRST, SECOND) in get_keys(find_pairs(conn, both))
        used = {node.get("Index Name") for node in nodes}
        assert {"entity_blocks_members", "entities_key_once", "common_blocks_pkey"} <= used
        blocks = sum(len(hash_blocking_keys(workspace, each.kind, each.key)) for each in both)
        for table in ("entity_blocks", "entities"):
            assert max(count_rows_read(node) for node in find_table_nodes(nodes, table)) <= blocks * COMMON
        # Not even index entries of common blocks are read.
        read = [count_rows_read(node) for node in nodes if node.get("Index Name") == "entity_blocks_members"]
        assert max(read) <= blocks * COMMON


def test_common_blocks_are_ignored_and_counted_again_after_a_month(
    database: Database, writer: MentionWriter, workspace: UUID
) -> None:
    between = [f"o{n} pier" for n in range(8)]
    writer.put("one", *(("organisation", key) for key in ("halvorsen marine", *between, "zeta marine")))
    with database.connect() as conn:
        fill(conn, workspace, COMMON)
        found = find_pairs(conn, [make_version(writer, key) for key in ("halvorsen marine", "zeta marine")])
        assert ("halvorsen marine", "zeta marine") not in get_keys(found)
        conn.execute("DELETE FROM entities WHERE key LIKE 'w%'")
        for days, again in ((29, False), (31, True)):
            conn.execute("UPDATE common_blocks SET counted_at = now() - make_interval(days => %s)", (days,))
            found = find_pairs(conn, [make_version(writer, "halvorsen marine")])
            assert (("halvorsen marine", "zeta marine") in get_keys(found)) == again


def test_number_of_statements_does_not_depend_on_the_batch_size(
    database: Database, writer: MentionWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compare(words: list[str]) -> int:
        for word in words:
            writer.put(word, ("organisation", f"{word} quay"), ("organisation", f"x{word} quay"))
        with database.transaction() as conn:
            sent = record_statements(monkeypatch)
            assert compare_batch(conn, 100) == (2 * len(words), len(words)), "each pair is proposed"
            return sum(each.conn is conn for each in sent)

    few = ["halvorsen", "berglund"]
    many = ["christiansund", "mandelbrot", "zwickauer", "fitzgerald", "o'donoghue", "jablonski", "navarrete"]
    assert compare(few) == compare(many) > 0


def test_one_run_of_the_duty_is_limited_in_time_and_the_next_continues(
    pipeline: Pipeline, writer: MentionWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{a}{b} works" for a in ("kal", "mor", "ner") for b in ("vik", "dal", "sund")]
    writer.put("all", *(("organisation", name) for name in names))
    monkeypatch.setattr(duty, "BATCH_SIZE", 4)
    monkeypatch.setattr(duty, "_MAX_SECONDS", -1.0)
    left = []
    for _ in range(4):
        do(pipeline, DUTY)
        left.append(len(writer.rows("SELECT FROM entities WHERE compared_at IS NULL")))
    assert left == [5, 1, 0, 0]


def test_blocks_are_deleted_with_their_entity(pipeline: Pipeline, writer: MentionWriter) -> None:
    document = writer.put("one", ("person", "Ann Lee"), ("organisation", "Halvorsen Marine"))
    do(pipeline, DUTY)
    writer.write_mentions(document, ("person", "Ann Lee"))
    with writer.database.transaction() as conn:
        left = conn.execute("SELECT entity_id FROM entity_blocks").fetchall()
    assert left == [{"entity_id": writer.id("person", "Ann Lee")}]
