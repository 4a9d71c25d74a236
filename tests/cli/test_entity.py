"""Tests of `docyard entity` and `docyard graph`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.cli.conftest import Shell

TEXTS = {
    "one.txt": "Letter\n\nNorthgate Supplies GmbH wrote to ann@northgate.example on 2026-01-02.",
    "two.txt": "Note\n\nNorthgate Supply GmbH agrees, says ann@northgate.example. See 410 U.S. 113.",
}


def fill(shell: Shell, folder: Path) -> None:
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    shell.run("add", *(str(folder / name) for name in TEXTS))
    shell.run("worker", "--single-run", "--slots", "2")


def test_lists_shows_merges_and_unmerges_entities(shell: Shell, tmp_path: Path) -> None:
    fill(shell, tmp_path)
    listed = {each["name"]: each for each in shell.json("entity", "list", "--kind", "organisation")}
    assert set(listed) >= {"Northgate Supplies GmbH", "Northgate Supply GmbH"}
    assert "ann@northgate.example" in shell.run("entity", "list", "ann")
    shown = shell.json("entity", "show", "northgate supplies")
    assert [each["document_name"] for each in shown["mentions"]] == ["one.txt"]
    assert "Several entities match" in shell.run("entity", "show", "northgate", code=2)
    assert "There is no entity" in shell.run("entity", "show", "nobody", code=2)
    shell.run("entity", "merge", "Northgate Supplies GmbH", "northgate supply")
    merged = shell.json("entity", "show", "northgate supply")
    assert len(merged["mentions"]) == 2
    assert "are now one" not in shell.run("entity", "show", listed["Northgate Supply GmbH"]["id"])
    shell.run("entity", "undo", "northgate supply", "Northgate Supplies GmbH")
    assert len(shell.json("entity", "show", "northgate supply")["mentions"]) == 1
    assert "There is no decision to undo" in shell.run(
        "entity", "undo", "northgate supply", "northgate supplies", code=2
    )
    found = shell.json("search", "--mode", "lexical", "entity:northgate", "agrees")
    assert [hit["document_name"] for hit in found["hits"]] == ["two.txt"]


def test_exports_the_graph_as_json_lines_and_csv(shell: Shell, tmp_path: Path) -> None:
    fill(shell, tmp_path)
    lines = [json.loads(line) for line in shell.run("graph", "export").splitlines()]
    nodes = {line["id"]: line for line in lines if "node" in line}
    edges = [line for line in lines if "edge" in line]
    assert {line["node"] for line in nodes.values()} == {"entity", "document"}
    assert {edge["type"] for edge in edges} >= {"mentioned_with", "cited_in"}
    assert all(edge["from"] in nodes and edge["to"] in nodes for edge in edges)
    shell.run("graph", "export", "--csv", str(tmp_path / "out"))
    with (tmp_path / "out" / "edges.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(edges)
