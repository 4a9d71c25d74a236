"""Acting on several things by their ids, each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from uuid import UUID

import click

from docyard.cli.installation import opened
from docyard.cli.output import print_json
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.settings import Settings


def act_on_each(
    settings: Settings,
    ids: Iterable[UUID],
    act: Callable[[Connection, UUID], None],
    done: str,
    *,
    as_json: bool,
) -> None:
    """One that is refused must not keep the others; it is named with the reason, and the exit code is 1."""
    acted: list[UUID] = []
    left: dict[UUID, str] = {}
    with opened(settings) as installation:
        for one in dict.fromkeys(ids):
            try:
                with installation.db.transaction() as conn:
                    act(conn, one)
                acted.append(one)
            except (BadInput, NotFound) as error:
                left[one] = str(error)
    if as_json:
        print_json({done: acted, "left": {str(one): why for one, why in left.items()}})
    else:
        click.echo(f"{len(acted)} {done}.")
    for one, why in left.items():
        click.echo(f"{one}: {why}", err=True)
    if left:
        raise SystemExit(1)
