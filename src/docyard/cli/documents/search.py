"""`docyard search`: search the documents of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option, workspace_option
from docyard.cli.output import print_json, strip_control_characters
from docyard.model.timeouts import MODEL_LOAD
from docyard.pipeline.children import ChildPool
from docyard.search import KINDS, MARK_END, MARK_START, MODES, Filters, SearchResult, embed_query, search
from docyard.settings import Settings


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="Maximum number of documents."
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="Match by words (lexical), by meaning (semantic) or by both (hybrid, the default if available).",
)
@click.option(
    "--kind",
    multiple=True,
    type=click.Choice(tuple(KINDS)),
    help="Only files of this kind; if repeated, of any of these kinds.",
)
@click.option("--tag", multiple=True, help="Only documents with this tag; if repeated, with all of these tags.")
@click.option("--folder", default="", help="Only documents in this folder.")
@click.option(
    "--language",
    multiple=True,
    help="Only documents in this language, such as en; if repeated, in any of these languages.",
)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Earliest date of a document; if it has no date, its upload date is used.",
)
@click.option(
    "--until",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Latest date of a document; if it has no date, its upload date is used.",
)
@workspace_option
@json_option
@click.pass_obj
def search_command(
    settings: Settings, /, words: tuple[str, ...], limit: int, workspace: str, as_json: bool, **options: Any
) -> None:
    """Search documents for WORDS.

    WORDS may contain "exact phrases", prefixes such as harb*, OR, and -excluded words.
    """
    text, mode = " ".join(words), options.pop("mode")
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with ChildPool(1, installation.limits) as children:
            meaning = embed_query(children, text, patience=MODEL_LOAD) if mode != "lexical" else None
        with installation.db.transaction(workspace_id) as conn:
            found = search(conn, text, limit=limit, mode=mode, meaning=meaning, filters=_make_filters(options))
    if as_json:
        values = {name: value for name, value in asdict(found).items() if name != "documents"}
        print_json({**values, "hits": [asdict(hit) for hit in found.hits]})
    else:
        _print_result(found)


def _make_filters(options: Mapping[str, Any]) -> Filters:
    return Filters(
        kinds=options["kind"],
        tags=options["tag"],
        folder=options["folder"].strip(),
        languages=options["language"],
        since=options["since"].date() if options["since"] else None,
        until=options["until"].date() if options["until"] else None,
    )


def _print_result(found: SearchResult) -> None:
    console = Console()
    for hit in found.hits:
        console.print(
            Text(strip_control_characters(hit.title or hit.document_name), style="bold"),
            Text(f"page {hit.page}", style="dim"),
        )
        console.print(_highlight(hit.snippet))
    console.print(Text(f"{found.total} document{'' if found.total == 1 else 's'} found.", style="dim"))
    for line in (found.note, found.suggestion and f"Did you mean: {strip_control_characters(found.suggestion)}"):
        if line:
            console.print(Text(line, style="dim"))


def _highlight(snippet: str) -> Text:
    text = Text("  ")
    for part in snippet.split(MARK_START):
        first, end, rest = part.partition(MARK_END)
        text.append(strip_control_characters(first), style="bold yellow" if end else "")
        text.append(strip_control_characters(rest))
    return text
