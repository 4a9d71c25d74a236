"""Tests of `docyard tag`, and of the tags and folders of `docyard add`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell


def test_lists_tags_by_use_and_by_meaning(external_shell: Shell, tmp_path: Path) -> None:
    for name, tag in (("a.txt", "vehicle"), ("b.txt", "vehicle"), ("c.txt", "late fee")):
        (tmp_path / name).write_text(f"The note {name} of the office.")
        external_shell.run("add", str(tmp_path / name), "--tag", tag)
    listed = external_shell.json("tag", "list")
    assert [(each["name"], each["documents"]) for each in listed["tags"]] == [("vehicle", 2), ("late fee", 1)]
    assert listed["by"] == "use"
    by_name = external_shell.run("tag", "list", "late")
    assert "late fee" in by_name
    for _ in range(3):  # each run claims one job per slot, and documents are embedded after processing
        external_shell.run("worker", "--single-run", "--slots", "4")
    found = external_shell.json("tag", "list", "car")
    assert (found["by"], found["tags"][0]["name"]) == ("meaning", "vehicle")
    assert "vehicle" in external_shell.run("tag", "list", "car")
    assert "There is no workspace" in external_shell.run("tag", "list", "--workspace", "Nowhere", code=2)
    hits = external_shell.json("search", "--mode", "lexical", "--tag", "Vehicle", "note")["hits"]
    assert {hit["document_name"] for hit in hits} == {"a.txt", "b.txt"}


def test_adds_files_to_a_folder_and_finds_them_there(external_shell: Shell, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The note {name} of the office.")
    external_shell.run("add", str(tmp_path / "a.txt"), "--folder", "Claims")
    external_shell.run("add", str(tmp_path / "b.txt"))
    assert "name of a folder" in external_shell.run("add", str(tmp_path), "--folder", "x" * 201, code=1)
    external_shell.run("worker", "--single-run", "--slots", "4")
    for query in (["--folder", "claims", "note"], ["folder:Claims"]):
        found = external_shell.json("search", "--mode", "lexical", *query)["hits"]
        assert [hit["document_name"] for hit in found] == ["a.txt"]
