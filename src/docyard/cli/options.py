"""Options shared by several commands, and the lookup of a workspace."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import click

from docyard.db import Connection
from docyard.errors import NotFound
from docyard.store.users import list_workspaces

Command = TypeVar("Command", bound=Callable[..., Any])
DEFAULT_WORKSPACE = "Main"


def json_option(command: Command) -> Command:
    """Add the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def workspace_option(command: Command) -> Command:
    """Add the option `--workspace`."""
    return click.option("--workspace", default=DEFAULT_WORKSPACE, show_default=True, help="Name of the workspace.")(
        command
    )


def name_workspace(command: str, workspace: str) -> str:
    """Return a command for a hint, with `--workspace` unless it is the default workspace."""
    return command if workspace == DEFAULT_WORKSPACE else f"{command} --workspace {shlex.quote(workspace)}"


def find_workspace(conn: Connection, name: str) -> UUID:
    """Return the id of a workspace; raise NotFound if there is no workspace with this name."""
    known = list_workspaces(conn)
    if name not in known:
        raise NotFound(f"There is no workspace {name!r}. Existing workspaces: {', '.join(known) or 'none'}.")
    return known[name]
