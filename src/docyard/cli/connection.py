"""`docyard connection`: connections of a workspace to language models (LLMs)."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from typing import TextIO
from uuid import UUID

import click

from docyard import clock
from docyard.cli.installation import open_installation
from docyard.cli.options import find_workspace, json_option, name_workspace, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.cli.secret import load_seal
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.model.connections import PROVIDERS, NewConnection
from docyard.model.timeouts import AI_CLASSIFICATION
from docyard.pipeline.reruns import change_classifier
from docyard.settings import Settings
from docyard.store.connections import PoolLimits, add_connection, list_connections, load_connection, remove_connection


@click.group()
def connection() -> None:
    """Manage the LLM connections of a workspace."""


@connection.command()
@click.argument("name")
@click.option(
    "--provider",
    type=click.Choice(PROVIDERS),
    required=True,
    help="Provider of the model; with --base-url, the provider whose API that server implements.",
)
@click.option("--model", required=True, help="Name of the model, as the provider spells it.")
@click.option("--base-url", help="Base URL of the API (default: the URL of the provider).")
@click.option(
    "--key-file",
    type=click.File(),
    help="File with the API key, or - for standard input (default: prompt for the key, except for ollama).",
)
@click.option("--classify", is_flag=True, help="Classify the documents of the workspace with this model.")
@workspace_option
@click.pass_obj
def add(settings: Settings, /, workspace: str, key_file: TextIO | None, classify: bool, **options: str) -> None:
    """Add the LLM connection NAME.

    The API key is stored encrypted and is never displayed.
    """
    new = NewConnection(**options, key=_read_key(options["provider"], key_file))
    bounds = PoolLimits(settings.llm_concurrency, settings.llm_rate)
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            made = add_connection(conn, new, load_seal(settings), bounds)
            if classify:
                change_classifier(conn, workspace_id, made)
    use = f" and classifies the documents of {workspace}" if classify else ""
    command = name_workspace(f"docyard connection test {shlex.quote(new.name)}", workspace)
    click.echo(f"Connection {new.name} was added{use}. Test it with: {command}")


def _read_key(provider: str, file: TextIO | None) -> str:
    """Read the API key from a file or a prompt; an argument would be visible to other users of the host."""
    if file is not None:
        return file.read().strip()
    if provider == "ollama":
        return ""
    if not sys.stdin.isatty():
        raise BadInput(
            "The API key is missing, and there is no terminal to prompt for it. Pass it with --key-file;"
            " pass an empty file if the server needs no key."
        )
    return str(click.prompt("API key", hide_input=True, default="", show_default=False)).strip()


@connection.command("list")
@workspace_option
@json_option
@click.pass_obj
def list_all(settings: Settings, workspace: str, as_json: bool) -> None:
    """List the LLM connections of a workspace."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        found = list_connections(conn, find_workspace(conn, workspace))
    if as_json:
        return print_json([asdict(each) for each in found])
    rows = [(each.name, each.provider, each.model, each.base_url, "yes" if each.classifies else "") for each in found]
    empty = f"There are no connections. Add one with: {name_workspace('docyard connection add', workspace)}"
    return print_table(("Name", "Provider", "Model", "Base URL", "Classifies"), rows, empty)


@connection.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def test(settings: Settings, name: str, workspace: str) -> None:
    """Test the LLM connection NAME with a short prompt.

    The test fails if the model cannot be reached, or if its answer does not have the required structure.
    """
    from docyard.inference.llm import check_connection

    with open_installation(settings) as installation, installation.db.transaction() as conn:
        workspace_id = find_workspace(conn, workspace)
        chosen = _find_connection(conn, workspace_id, name)
        decrypted = load_connection(conn, workspace_id, chosen, load_seal(settings))
    began = clock.monotonic()
    check_connection(decrypted, AI_CLASSIFICATION)
    click.echo(f"{name} answered correctly after {clock.monotonic() - began:.1f} seconds.")


@connection.command("classify-with")
@click.argument("name", required=False)
@click.option("--none", "stop", is_flag=True, help="Stop classifying with an LLM.")
@workspace_option
@click.pass_obj
def classify_with_command(settings: Settings, name: str | None, stop: bool, workspace: str) -> None:
    """Choose the LLM connection that classifies documents.

    NAME is the connection; --none stops classification by an LLM. The choice also applies to documents that
    are waiting for the previous connection.
    """
    if (name is None) != stop:
        raise click.UsageError("Pass either the name of a connection or --none.")
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        workspace_id = find_workspace(conn, workspace)
        change_classifier(conn, workspace_id, _find_connection(conn, workspace_id, name) if name else None)
    click.echo(f"{name or 'No LLM'} classifies the documents of {workspace} from now on.")


@connection.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def remove(settings: Settings, name: str, workspace: str) -> None:
    """Remove the LLM connection NAME and its API key.

    Documents that are waiting for it are processed without it.
    """
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = find_workspace(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            remove_connection(conn, _find_connection(conn, workspace_id, name))
    click.echo(f"Connection {name} was removed.")


def _find_connection(conn: Connection, workspace_id: UUID, name: str) -> UUID:
    known = {each.name: each.id for each in list_connections(conn, workspace_id)}
    if name not in known:
        raise NotFound(f"There is no connection {name!r}. Existing connections: {', '.join(known) or 'none'}.")
    return known[name]
