"""Options and look-ups several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

import click

from docyard.db import Connection
from docyard.errors import NotFound
from docyard.store.people import list_workspaces

Command = TypeVar("Command", bound=Callable[..., Any])
DEFAULT_WORKSPACE = "Main"


def json_option(command: Command) -> Command:
    """`--json` for programs."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def workspace_option(command: Command) -> Command:
    """`--workspace`, the tenant to act in."""
    return click.option(
        "--workspace", default=DEFAULT_WORKSPACE, show_default=True, help="Workspace to act in."
    )(command)


def workspace_named(conn: Connection, name: str) -> UUID:
    """The workspace of that name; a misspelt one is an error, not a new tenant."""
    known = list_workspaces(conn)
    if name not in known:
        raise NotFound(f"There is no workspace {name!r}; there are: {', '.join(known) or 'none yet'}.")
    return known[name]
