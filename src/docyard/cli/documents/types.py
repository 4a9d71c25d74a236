"""`docyard types`: what documents of a workspace can be."""

from __future__ import annotations

import click

from docyard.cli.installation import opened
from docyard.cli.options import json_option, workspace_named, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.facts.classify.types import described_types
from docyard.model.document_types import own_type, type_name
from docyard.pipeline.reprocess import classify_again, unsettled_documents
from docyard.settings import Settings
from docyard.store.types import known_types, remove_type, save_type, switch_type

_BATCH = 200
_HINT = "Documents stay as they are; to classify them again: docyard types classify-again"


@click.group()
def types() -> None:
    """The types that documents of a workspace can be of."""


@types.command("list")
@workspace_option
@json_option
@click.pass_obj
def list_all(settings: Settings, workspace: str, as_json: bool) -> None:
    """List the types, also those that are switched off."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        found = described_types(known_types(conn, workspace_named(conn, workspace)))
    if as_json:
        return print_json(found)
    rows = [
        (each["name"], "own" if each["own"] else "", "" if each["on"] else "off", each["description"])
        for each in found
    ]
    return print_table(("Name", "Whose", "State", "Description"), rows, "No types.")


@types.command()
@click.argument("name")
@click.option("--description", required=True, help="What such a document is; its meaning is compared.")
@click.option("--phrase", "phrases", multiple=True, help="A phrase that speaks for it; may be repeated.")
@workspace_option
@click.pass_obj
def add(settings: Settings, name: str, description: str, phrases: tuple[str, ...], workspace: str) -> None:
    """Add a type, or describe one of your own anew."""
    new = own_type(name, description, list(phrases))
    with opened(settings) as installation, installation.db.transaction() as conn:
        save_type(conn, workspace_named(conn, workspace), new, None)
    click.echo(f"Documents of {workspace} can be of the type {new.name} from now on. {_HINT}")


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def remove(settings: Settings, name: str, workspace: str) -> None:
    """Remove a type of your own."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        remove_type(conn, workspace_named(conn, workspace), type_name(name))
    click.echo(f"{name} is no type of {workspace} any more. {_HINT}")


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def off(settings: Settings, name: str, workspace: str) -> None:
    """Switch a type off: no document is found to be of it from now on."""
    _switch(settings, name, workspace, on=False)


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def on(settings: Settings, name: str, workspace: str) -> None:
    """Switch a type on again."""
    _switch(settings, name, workspace, on=True)


def _switch(settings: Settings, name: str, workspace: str, *, on: bool) -> None:
    with opened(settings) as installation, installation.db.transaction() as conn:
        switch_type(conn, workspace_named(conn, workspace), type_name(name), None, on=on)
    click.echo(f"{name} is switched {'on' if on else 'off'} in {workspace}. {_HINT}")


@types.command("classify-again")
@click.option(
    "--all", "everything", is_flag=True, help="All documents, also those whose type is on the list."
)
@workspace_option
@click.pass_obj
def classify_again_command(settings: Settings, everything: bool, workspace: str) -> None:
    """Classify documents again: those 'not sure', and those of a type that is not on the list any more."""
    queued = 0
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = workspace_named(conn, workspace)
            names = known_types(conn, workspace_id).names
            found = unsettled_documents(conn, workspace_id, () if everything else names)
        for first in range(0, len(found), _BATCH):
            with installation.db.transaction() as conn:
                queued += classify_again(conn, found[first : first + _BATCH])
    click.echo(f"{queued} document{'' if queued == 1 else 's'} of {workspace} will be classified again.")
