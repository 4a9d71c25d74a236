"""`docyard types`: the document types of a workspace."""

from __future__ import annotations

import click

from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option, name_workspace, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.facts.classify.types import describe_types
from docyard.model.document_types import make_custom_type, normalise_type_name
from docyard.pipeline.reruns import classify_again, find_documents_to_reclassify
from docyard.settings import Settings
from docyard.store.document_types import load_types, remove_type, save_type, switch_type

_BATCH_SIZE = 200  # documents per transaction


@click.group()
def types() -> None:
    """Manage the document types of a workspace."""


@types.command("list")
@workspace_option
@json_option
@click.pass_obj
def list_all(settings: Settings, workspace: str, as_json: bool) -> None:
    """List document types, including those switched off."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        found = describe_types(load_types(conn, find_workspace(conn, workspace)))
    if as_json:
        return print_json(found)
    rows = [
        (each["name"], "custom" if each["own"] else "built-in", "" if each["on"] else "off", each["description"])
        for each in found
    ]
    return print_table(("Name", "Origin", "State", "Description"), rows, "No document types.")


@types.command()
@click.argument("name")
@click.option(
    "--description",
    required=True,
    help="Description of documents of this type; the meaning of each document is compared with it.",
)
@click.option("--phrase", "phrases", multiple=True, help="Phrase that indicates this type; may be repeated.")
@workspace_option
@click.pass_obj
def add(settings: Settings, name: str, description: str, phrases: tuple[str, ...], workspace: str) -> None:
    """Add or change the custom document type NAME.

    If the type exists, the description and phrases replace the previous ones.
    """
    new = make_custom_type(name, description, list(phrases))
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        save_type(conn, find_workspace(conn, workspace), new, None)
    click.echo(f"The document type {new.name} is now available in {workspace}. {_make_hint(workspace)}")


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def remove(settings: Settings, name: str, workspace: str) -> None:
    """Remove the custom document type NAME.

    Built-in types can only be switched off.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        remove_type(conn, find_workspace(conn, workspace), normalise_type_name(name))
    click.echo(f"The document type {name} was removed from {workspace}. {_make_hint(workspace)}")


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def off(settings: Settings, name: str, workspace: str) -> None:
    """Switch off the document type NAME.

    The type is not assigned until it is switched on again. Existing documents keep it.
    """
    _switch(settings, name, workspace, on=False)


@types.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def on(settings: Settings, name: str, workspace: str) -> None:
    """Switch on the document type NAME again."""
    _switch(settings, name, workspace, on=True)


def _switch(settings: Settings, name: str, workspace: str, *, on: bool) -> None:
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        switch_type(conn, find_workspace(conn, workspace), normalise_type_name(name), None, on=on)
    click.echo(f"The document type {name} is switched {'on' if on else 'off'} in {workspace}. {_make_hint(workspace)}")


@types.command("classify-again")
@click.option("--all", "everything", is_flag=True, help="Select all completed documents that have been classified.")
@workspace_option
@click.pass_obj
def classify_again_command(settings: Settings, everything: bool, workspace: str) -> None:
    """Classify documents again.

    Without --all, only documents without a type (shown as "not sure") are selected, and those whose type was
    removed or switched off.
    """
    queued = 0
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
            names = load_types(conn, workspace_id).names
            found = find_documents_to_reclassify(conn, workspace_id, () if everything else names)
        for first in range(0, len(found), _BATCH_SIZE):
            with installation.db.transaction() as conn:
                queued += classify_again(conn, found[first : first + _BATCH_SIZE])
    click.echo(f"{queued} document{'' if queued == 1 else 's'} of {workspace} will be classified again.")


def _make_hint(workspace: str) -> str:
    command = name_workspace("docyard types classify-again", workspace)
    return f"Existing documents keep their type. To classify them again, run: {command}"
