"""`docyard graph`: export entities, documents and relations as a graph."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, workspace_option
from docyard.cli.output import print_json_line
from docyard.db import Connection
from docyard.settings import Settings
from docyard.store.graph import entities

_NODES = ("id", "node", "kind", "name", "merged_into")
_EDGES = ("id", "type", "from", "to", "document", "page", "start", "end", "confidence", "state")
_FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")

Row = dict[str, Any]


@click.group()
def graph() -> None:
    """Export entities and their relations as a graph."""


@graph.command()
@click.option(
    "--csv",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write nodes.csv and edges.csv to, instead of printing JSON lines.",
)
@workspace_option
@click.pass_obj
def export(settings: Settings, folder: Path | None, workspace: str) -> None:
    """Export entities, relations and the documents that have relations, as JSON lines or, with --csv, as CSV."""
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            nodes, edges = list(_nodes(conn, workspace_id)), list(_edges(conn, workspace_id))
    if folder is None:
        for row in (*nodes, *edges):
            print_json_line(row)
        return
    folder.mkdir(parents=True, exist_ok=True)
    _write_csv(folder / "nodes.csv", _NODES, nodes)
    _write_csv(folder / "edges.csv", _EDGES, edges)
    click.echo(f"Wrote {len(nodes):,} nodes and {len(edges):,} edges to {folder}.")


def _nodes(conn: Connection, workspace_id: UUID) -> Iterator[Row]:
    for each in entities.all_entities(conn, workspace_id):
        yield {"node": "entity", "id": each.id, "kind": each.kind, "name": each.name, "merged_into": each.merged_into}
    for row in entities.list_related_documents(conn, workspace_id):
        yield {"node": "document", "id": row["id"], "kind": row["type"], "name": row["title"] or row["name"]}


def _edges(conn: Connection, workspace_id: UUID) -> Iterator[Row]:
    for row in entities.all_relations(conn, workspace_id):
        yield {
            "edge": "relation",
            "id": row["id"],
            "type": row["type"],
            "from": row["from_id"],
            "to": row["to_id"] or row["to_document"],
            "document": row["document_id"],
            "page": row["page"],
            "start": row["start"],
            "end": row["end"],
            "confidence": row["confidence"],
            "state": row["state"],
        }


def _write_csv(path: Path, columns: tuple[str, ...], rows: list[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_escape_formula(row.get(column)) for column in columns] for row in rows)


def _escape_formula(value: object) -> object:
    """Prefix a text with an apostrophe if a spreadsheet program would treat it as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_PREFIXES) else value
