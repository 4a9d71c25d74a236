"""`docyard types`: the list is changed by command, and documents are classified again when asked."""

from __future__ import annotations

from tests.cli.conftest import Shell

WORDS = "Results of laboratory tests of samples."


def test_types_are_listed_added_switched_and_removed(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    assert "contract" in shell.run("types", "list")
    said = shell.run("types", "add", "Lab report", "--description", WORDS, "--phrase", "reference range")
    assert "lab_report from now on" in said
    assert "docyard types classify-again" in said, "the way to reprocess is told"
    assert "switched off in Main" in shell.run("types", "off", "letter")
    listed = {each["name"]: each for each in shell.json("types", "list")}
    assert (listed["letter"]["on"], listed["lab_report"]["phrases"]) == (False, ["reference range"])
    shell.run("types", "on", "letter")
    shell.run("types", "remove", "lab report")
    assert all(each["on"] and not each["own"] for each in shell.json("types", "list"))
    assert "0 documents of Main" in shell.run("types", "classify-again", "--all")


def test_wrong_words_get_clear_ones(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    assert "switched on or off" in shell.run("types", "add", "contract", "--description", WORDS, code=2)
    assert "can be switched off" in shell.run("types", "remove", "contract", code=2)
    assert "no type 'spoon'" in shell.run("types", "off", "spoon", code=2)
    assert "no workspace" in shell.run("types", "off", "letter", "--workspace", "Nowhere", code=2)
