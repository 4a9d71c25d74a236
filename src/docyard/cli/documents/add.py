"""`docyard add`: add files to the queue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from docyard.cli.blob_store import open_blobs
from docyard.cli.files import find_files
from docyard.cli.installation import Installation, open_installation
from docyard.cli.options import DEFAULT_WORKSPACE, find_workspace, json_option, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.errors import BadInput, StorageFull, StoreUnavailable
from docyard.intake import Arrival, receive
from docyard.model.documents import Receipt
from docyard.model.tiers import DEFAULT_PRIORITY, Tier
from docyard.settings import Settings
from docyard.store.blobs import FolderBlobs
from docyard.store.users import get_or_create_workspace

_BLOCK_BYTES = 1024 * 1024


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--tier",
    type=click.Choice([tier.label for tier in Tier]),
    default="background",
    show_default=True,
    help="Tier of the files; each tier has a guaranteed share of processing.",
)
@click.option(
    "--priority",
    type=click.IntRange(-32768, 32767),
    default=DEFAULT_PRIORITY,
    show_default=True,
    help="Order among the files of a workspace and tier; lower numbers are processed first.",
)
@click.option("--tag", "tags", multiple=True, help="Tag for every file; may be repeated.")
@click.option(
    "--folder", "folder_name", default="", help="Folder of the workspace for every file; created if it does not exist."
)
@workspace_option
@json_option
@click.pass_obj
def add(
    settings: Settings, /, paths: tuple[Path, ...], tier: str, workspace: str, as_json: bool, **options: Any
) -> None:
    """Add files to a workspace and queue them for processing.

    PATHS are files or folders. All files below a folder are added, except links and hidden files and folders.
    The exit code is 1 if a file was refused.
    """
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            if workspace == DEFAULT_WORKSPACE:
                get_or_create_workspace(conn, workspace)
            workspace_id = find_workspace(conn, workspace)
        arrival = Arrival(workspace_id, "", "cli", Tier[tier.upper()], **options)
        blobs = open_blobs(installation)
        outcomes = [_add_one(installation, blobs, arrival, path) for path in find_files(paths)]
    _report(outcomes, as_json=as_json)


def _add_one(installation: Installation, blobs: FolderBlobs, common: Arrival, path: Path) -> tuple[Path, Receipt | str]:
    arrival = replace(common, name=path.name)
    try:
        return path, receive(installation.db, blobs, installation.limits, arrival, _read_blocks(path))
    except (BadInput, StorageFull, StoreUnavailable, OSError) as error:
        return path, str(error)


def _read_blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def _report(outcomes: list[tuple[Path, Receipt | str]], *, as_json: bool) -> None:
    lines = [
        {"file": str(path), "document": outcome.document_id, "outcome": "duplicate" if outcome.duplicate else "queued"}
        if isinstance(outcome, Receipt)
        else {"file": str(path), "document": None, "outcome": f"refused: {outcome}"}
        for path, outcome in outcomes
    ]
    if as_json:
        print_json(lines)
    else:
        print_table(("File", "Document", "Outcome"), [list(line.values()) for line in lines], "No files found.")
    if any(isinstance(outcome, str) for _, outcome in outcomes):
        raise SystemExit(1)
