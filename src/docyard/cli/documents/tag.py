"""`docyard tag`: list the tags of a workspace."""

from __future__ import annotations

from dataclasses import asdict

import click

from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.model.timeouts import MODEL_LOAD
from docyard.pipeline.children import ChildPool
from docyard.search import embed_query, find_tags
from docyard.settings import Settings


@click.group()
def tag() -> None:
    """List the tags of a workspace."""


@tag.command("list")
@click.argument("words", nargs=-1)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Maximum number of tags.")
@workspace_option
@json_option
@click.pass_obj
def list_tags(settings: Settings, words: tuple[str, ...], limit: int, workspace: str, as_json: bool) -> None:
    """List the most used tags, or those closest to WORDS.

    Tags are compared with WORDS by meaning, or by name if semantic search is off.
    """
    typed = " ".join(words)
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with ChildPool(1, installation.limits) as children:
            meaning = embed_query(children, typed, patience=MODEL_LOAD) if typed else None
        with installation.db.transaction(workspace_id) as conn:
            found = find_tags(conn, typed, meaning=meaning, limit=limit)
    if as_json:
        return print_json(asdict(found))
    rows = [(each.name, each.documents, _format_percent(each.closeness)) for each in found.tags]
    print_table(("Tag", "Documents", "Closeness"), rows, "No tags found.")
    if found.note:
        click.echo(found.note)
    return None


def _format_percent(closeness: float | None) -> str:
    return "" if closeness is None else f"{closeness:.0%}"
