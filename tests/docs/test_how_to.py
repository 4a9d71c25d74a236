"""Each how-to page is followed, step by step, in a copy of the project."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Connection
from tests.docs.recipes import Copy, follow

_LOAD = """
import sys
from uuid import UUID
from docyard.db import Database
from docyard.pipeline.storage.values import load
from docyard.stages.word_count import WordCount
from docyard.store.documents import get_document
from docyard.web.view.steps import STEPS
with Database(lambda: sys.argv[1]).transaction() as conn:
    print(*load(conn, get_document(conn, UUID(sys.argv[2])), [WordCount]))
print(*(step.doing for step in STEPS if step.name == "word_count"))
"""


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """A file to process."""
    file = tmp_path / "note.txt"
    file.write_text("WORK ORDER 4711\nEquipment: Pump\nFault: leaking\nApproved by: Ann Lee\n")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for the copy."""
    made = tmp_path / "copy"
    made.mkdir()
    return made


def test_a_stage_is_one_file_one_entry_and_one_test(
    folder: Path, note: Path, conn: Connection, database_address: str, tmp_path: Path
) -> None:
    copy = follow("add-a-stage.md", folder)
    copy.test("tests/stages/test_word_count.py")
    place = {"DOCYARD_DATABASE_URL": database_address, "DOCYARD_HOME": str(tmp_path / "home")}
    for command in (["migrate"], ["add", str(note)], ["worker", "--single-run", "--slots", "1"]):
        copy.run("-m", "docyard", *command, **place)
    pool = conn.execute("SELECT resource FROM pools WHERE pool = 'word_count'").fetchone()
    assert pool == {"resource": "cpu"}
    (document,) = conn.execute("SELECT id, status FROM documents").fetchall()
    assert document["status"] == "completed"
    loaded = copy.run("-c", _LOAD, database_address, str(document["id"]))
    assert loaded == "WordCount(pages=(11,))\nCounting the words\n"


@pytest.mark.long
def test_a_new_stage_leaves_the_other_tests_as_they_are(folder: Path) -> None:
    copy = follow("add-a-stage.md", folder)
    rooms = ("tests/stages", "tests/pipeline", "tests/queue", "tests/web", "tests/worker")
    said = copy.run("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", "not long", *rooms)
    assert " passed" in said


def test_a_stage_that_is_added_later_reaches_documents_that_were_completed_before(
    folder: Path, note: Path, conn: Connection, database_address: str, tmp_path: Path
) -> None:
    place = {"DOCYARD_DATABASE_URL": database_address, "DOCYARD_HOME": str(tmp_path / "home")}
    today = Copy(Path(__file__).parents[2])
    for command in (["add", str(note)], ["worker", "--single-run", "--slots", "1"]):
        today.run("-m", "docyard", *command, **place)
    copy = follow("add-a-stage.md", folder)
    for command in (["migrate"], ["retry", "--outdated"], ["worker", "--single-run", "--slots", "1"]):
        copy.run("-m", "docyard", *command, **place)
    row = conn.execute("SELECT document_id, facts FROM stage_results WHERE stage = 'word_count'").fetchone()
    assert row is not None
    assert (type(row["document_id"]), row["facts"]) == (UUID, {"value": {"pages": [11]}})


def test_a_file_format_is_one_reader_and_two_entries(folder: Path, tmp_path: Path) -> None:
    copy = follow("add-a-file-format.md", folder)
    copy.test("tests/readers/markup/test_subtitles.py")
    film = tmp_path / "film.srt"
    film.write_text("1\n00:00:01,000 --> 00:00:02,500\nThe tide turns.\n")
    (read,) = json.loads(copy.run("-m", "docyard", "process", str(film), "--json"))
    assert (read["media_type"], read["outcome"]) == ("application/x-subrip", "done")
    assert read["pages"][0]["text"] == "- 00:00:01 The tide turns."


def test_a_field_is_one_name_and_one_rule(folder: Path) -> None:
    copy = follow("add-a-field.md", folder)
    copy.test("tests/facts/fields/test_approval.py")
    shown = "from docyard.facts.vocabulary import names_for; print(names_for('work_order')[-1])"
    assert copy.run("-c", shown) == "approved_by\n"
