"""Tests of `docyard types`."""

from __future__ import annotations

from tests.cli.conftest import Shell

DESCRIPTION = "Results of laboratory tests of samples."


def test_lists_adds_switches_and_removes_types(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    assert "contract" in shell.run("types", "list")
    output = shell.run("types", "add", "Lab report", "--description", DESCRIPTION, "--phrase", "reference range")
    assert "lab_report is now available in Main" in output
    assert "docyard types classify-again" in output, "the output names the command to reprocess documents"
    assert "switched off in Main" in shell.run("types", "off", "letter")
    listed = {each["name"]: each for each in shell.json("types", "list")}
    assert (listed["letter"]["on"], listed["lab_report"]["phrases"]) == (False, ["reference range"])
    shell.run("types", "on", "letter")
    shell.run("types", "remove", "lab report")
    assert all(each["on"] and not each["own"] for each in shell.json("types", "list"))
    assert "0 documents of Main" in shell.run("types", "classify-again", "--all")


def test_reports_invalid_type_commands(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    assert "switched on or off" in shell.run("types", "add", "contract", "--description", DESCRIPTION, code=2)
    assert "can be switched off" in shell.run("types", "remove", "contract", code=2)
    assert "no type 'spoon'" in shell.run("types", "off", "spoon", code=2)
    assert "no workspace" in shell.run("types", "off", "letter", "--workspace", "Nowhere", code=2)
