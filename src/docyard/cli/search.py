"""`docyard search`: find passages from the command line."""

from __future__ import annotations

from dataclasses import asdict

import click
from rich.console import Console
from rich.text import Text

from docyard.cli.choices import json_option, workspace_named, workspace_option
from docyard.cli.opening import opened
from docyard.cli.output import plain, print_json
from docyard.search import MARK_END, MARK_START, search
from docyard.settings import Settings


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Most documents to show."
)
@workspace_option
@json_option
@click.pass_obj
def search_command(
    settings: Settings, words: tuple[str, ...], limit: int, workspace: str, as_json: bool
) -> None:
    """Find documents by words, "exact phrases", OR and -excluded words."""
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = workspace_named(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            found = search(conn, " ".join(words), most=limit)
    if as_json:
        return print_json({"total": found.total, "hits": [asdict(hit) for hit in found.hits]})
    console = Console()
    for hit in found.hits:
        console.print(
            Text(plain(hit.title or hit.document_name), style="bold"), Text(f"page {hit.page}", style="dim")
        )
        console.print(_highlighted(hit.snippet))
    console.print(Text(f"{found.total} document{'' if found.total == 1 else 's'} found.", style="dim"))
    return None


def _highlighted(snippet: str) -> Text:
    text = Text("  ")
    for part in snippet.split(MARK_START):
        first, end, rest = part.partition(MARK_END)
        text.append(plain(first), style="bold yellow" if end else "")
        text.append(plain(rest))
    return text
