"""`docyard tag`: the tags of a workspace from the command line."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Shell


def test_tags_are_listed_by_use_and_by_meaning(stray_shell: Shell, tmp_path: Path) -> None:
    for name, tag in (("a.txt", "vehicle"), ("b.txt", "vehicle"), ("c.txt", "late fee")):
        (tmp_path / name).write_text(f"The note {name} of the office.")
        stray_shell.run("add", str(tmp_path / name), "--tag", tag)
    listed = stray_shell.json("tag", "list")
    assert [(each["name"], each["documents"]) for each in listed["tags"]] == [("vehicle", 2), ("late fee", 1)]
    assert listed["by"] == "use"
    early = stray_shell.run("tag", "list", "late")
    assert "late fee" in early
    for _ in range(3):  # a run takes one job per slot, and vectors follow the documents
        stray_shell.run("worker", "--single-run", "--slots", "4")
    found = stray_shell.json("tag", "list", "car")
    assert (found["by"], found["tags"][0]["name"]) == ("meaning", "vehicle")
    assert "vehicle" in stray_shell.run("tag", "list", "car")
    assert "There is no workspace" in stray_shell.run("tag", "list", "--workspace", "Nowhere", code=2)
    hits = stray_shell.json("search", "--mode", "lexical", "--tag", "Vehicle", "note")["hits"]
    assert {hit["document_name"] for hit in hits} == {"a.txt", "b.txt"}


def test_files_are_put_into_a_folder_and_found_there(stray_shell: Shell, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The note {name} of the office.")
    stray_shell.run("add", str(tmp_path / "a.txt"), "--folder", "Claims")
    stray_shell.run("add", str(tmp_path / "b.txt"))
    assert "name of a folder" in stray_shell.run("add", str(tmp_path), "--folder", "x" * 201, code=1)
    stray_shell.run("worker", "--single-run", "--slots", "4")
    for asked in (["--folder", "claims", "note"], ["folder:Claims"]):
        found = stray_shell.json("search", "--mode", "lexical", *asked)["hits"]
        assert [hit["document_name"] for hit in found] == ["a.txt"]
