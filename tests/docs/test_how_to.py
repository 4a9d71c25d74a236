"""Tests that apply each how-to page to a copy of the project."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from docyard.db import Connection
from tests.docs.recipes import Copy, apply_page

_PRINT_WORD_COUNT = """
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
    """A text file to process."""
    file = tmp_path / "note.txt"
    file.write_text("WORK ORDER 4711\nEquipment: Pump\nFault: leaking\nApproved by: Ann Lee\n")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for the copy of the project."""
    made = tmp_path / "copy"
    made.mkdir()
    return made


def test_stage_added_by_the_how_to_page_works(
    folder: Path, note: Path, conn: Connection, database_address: str, tmp_path: Path
) -> None:
    copy = apply_page("add-a-stage.md", folder)
    copy.test("tests/stages/test_word_count.py")
    environ = {"DOCYARD_DATABASE_URL": database_address, "DOCYARD_HOME": str(tmp_path / "home")}
    for command in (["migrate"], ["add", str(note)], ["worker", "--single-run", "--slots", "1"]):
        copy.run("-m", "docyard", *command, **environ)
    pool = conn.execute("SELECT resource FROM pools WHERE pool = 'word_count'").fetchone()
    assert pool == {"resource": "cpu"}
    (document,) = conn.execute("SELECT id, status FROM documents").fetchall()
    assert document["status"] == "completed"
    loaded = copy.run("-c", _PRINT_WORD_COUNT, database_address, str(document["id"]))
    assert loaded == "WordCount(pages=(11,))\nCounting the words\n"


@pytest.mark.long
def test_other_tests_pass_after_adding_a_stage(folder: Path) -> None:
    copy = apply_page("add-a-stage.md", folder)
    folders = ("tests/stages", "tests/pipeline", "tests/queue", "tests/web", "tests/worker")
    output = copy.run("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", "not long", *folders)
    assert " passed" in output


def test_added_stage_runs_on_completed_documents(
    folder: Path, note: Path, conn: Connection, database_address: str, tmp_path: Path
) -> None:
    environ = {"DOCYARD_DATABASE_URL": database_address, "DOCYARD_HOME": str(tmp_path / "home")}
    project = Copy(Path(__file__).parents[2])
    for command in (["add", str(note)], ["worker", "--single-run", "--slots", "1"]):
        project.run("-m", "docyard", *command, **environ)
    copy = apply_page("add-a-stage.md", folder)
    for command in (["migrate"], ["retry", "--outdated"], ["worker", "--single-run", "--slots", "1"]):
        copy.run("-m", "docyard", *command, **environ)
    row = conn.execute("SELECT document_id, facts FROM stage_results WHERE stage = 'word_count'").fetchone()
    assert row is not None
    assert (type(row["document_id"]), row["facts"]) == (UUID, {"value": {"pages": [11]}})


def test_file_format_added_by_the_how_to_page_works(folder: Path, tmp_path: Path) -> None:
    copy = apply_page("add-a-file-format.md", folder)
    copy.test("tests/readers/markup/test_subtitles.py")
    film = tmp_path / "film.srt"
    film.write_text("1\n00:00:01,000 --> 00:00:02,500\nThe tide turns.\n")
    (read,) = json.loads(copy.run("-m", "docyard", "process", str(film), "--json"))
    assert (read["media_type"], read["outcome"]) == ("application/x-subrip", "done")
    assert read["pages"][0]["text"] == "- 00:00:01 The tide turns."


def test_field_added_by_the_how_to_page_works(folder: Path) -> None:
    copy = apply_page("add-a-field.md", folder)
    copy.test("tests/facts/fields/test_approval.py")
    program = "from docyard.facts.vocabulary import list_field_names; print(list_field_names('work_order')[-1])"
    assert copy.run("-c", program) == "approved_by\n"
