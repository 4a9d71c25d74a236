"""`docyard connection`: language models that a workspace may ask."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TextIO
from uuid import UUID

import click

from docyard import clock
from docyard.cli.installation import opened
from docyard.cli.options import json_option, workspace_named, workspace_option
from docyard.cli.output import print_json, print_table
from docyard.cli.secret import seal_of
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.model.connections import PROVIDERS, NewConnection
from docyard.model.timeouts import AI_CLASSIFICATION
from docyard.pipeline.reprocess import classify_by
from docyard.settings import Settings
from docyard.store.connections import (
    Bounds,
    add_connection,
    list_connections,
    open_connection,
    remove_connection,
)


@click.group()
def connection() -> None:
    """Language models that a workspace may ask."""


@connection.command()
@click.argument("name")
@click.option("--provider", type=click.Choice(PROVIDERS), required=True, help="Whose language it speaks.")
@click.option("--model", required=True, help="The model's name, as its provider calls it.")
@click.option("--base-url", help="Where the model is reached [the provider's own address].")
@click.option("--key-file", type=click.File(), help="File that holds the key, - for stdin [asked for].")
@click.option("--classify", is_flag=True, help="Let it classify the workspace's documents.")
@workspace_option
@click.pass_obj
def add(settings: Settings, /, workspace: str, key_file: TextIO | None, classify: bool, **given: str) -> None:
    """Add a model; its key is kept sealed and never shown."""
    new = NewConnection(**given, key=_key(given["provider"], key_file))
    bounds = Bounds(settings.llm_concurrency, settings.llm_rate)
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = workspace_named(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            made = add_connection(conn, new, seal_of(settings), bounds)
            if classify:
                classify_by(conn, workspace_id, made)
    use = f"classifies the documents of {workspace}" if classify else "is there"
    click.echo(f"Connection {new.name} {use}. To try it: docyard connection test {new.name!r}")


def _key(provider: str, file: TextIO | None) -> str:
    """A key is never an argument: every program on a machine can see those."""
    if file is not None:
        return file.read().strip()
    if provider == "ollama":
        return ""
    if not sys.stdin.isatty():
        raise BadInput("Give the key by --key-file; an empty file, where the server asks for none.")
    return str(click.prompt("Key", hide_input=True, default="", show_default=False)).strip()


@connection.command("list")
@workspace_option
@json_option
@click.pass_obj
def list_all(settings: Settings, workspace: str, as_json: bool) -> None:
    """List the models of a workspace."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        found = list_connections(conn, workspace_named(conn, workspace))
    if as_json:
        return print_json([asdict(each) for each in found])
    rows = [
        (each.name, each.provider, each.model, each.base_url, "yes" if each.classifies else "")
        for each in found
    ]
    return print_table(("Name", "Provider", "Model", "Address", "Classifies"), rows, "No connections yet.")


@connection.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def test(settings: Settings, name: str, workspace: str) -> None:
    """Ask a model something, to see whether it answers in the form we need."""
    from docyard.inference.llm import greet

    with opened(settings) as installation, installation.db.transaction() as conn:
        workspace_id = workspace_named(conn, workspace)
        chosen = _named(conn, workspace_id, name)
        opened_one = open_connection(conn, workspace_id, chosen, seal_of(settings))
    began = clock.monotonic()
    greet(opened_one, AI_CLASSIFICATION)
    click.echo(f"{name} answers as it should, within {clock.monotonic() - began:.1f} seconds.")


@connection.command("classify-with")
@click.argument("name", required=False)
@click.option("--none", "stop", is_flag=True, help="Let no model classify documents.")
@workspace_option
@click.pass_obj
def classify_with_command(settings: Settings, name: str | None, stop: bool, workspace: str) -> None:
    """Choose the model that classifies the documents of a workspace from now on."""
    if (name is None) != stop:
        raise click.UsageError("Name a connection, or give --none.")
    with opened(settings) as installation, installation.db.transaction() as conn:
        workspace_id = workspace_named(conn, workspace)
        classify_by(conn, workspace_id, _named(conn, workspace_id, name) if name else None)
    click.echo(f"{name} classifies the documents of {workspace}." if name else "No model is asked any more.")


@connection.command()
@click.argument("name")
@workspace_option
@click.pass_obj
def remove(settings: Settings, name: str, workspace: str) -> None:
    """Remove a model with its key; documents that wait for it go on without."""
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            workspace_id = workspace_named(conn, workspace)
        with installation.db.transaction(workspace_id) as conn:
            remove_connection(conn, _named(conn, workspace_id, name))
    click.echo(f"Connection {name} is removed.")


def _named(conn: Connection, workspace_id: UUID, name: str) -> UUID:
    known = {each.name: each.id for each in list_connections(conn, workspace_id)}
    if name not in known:
        raise NotFound(f"There is no connection {name!r}; there are: {', '.join(known) or 'none yet'}.")
    return known[name]
