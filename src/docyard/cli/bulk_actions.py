"""Actions on many ids, which print the number of successes and each refused id with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

import click

from docyard.cli.installation import open_installation
from docyard.cli.output import print_json
from docyard.db import Connection
from docyard.errors import BadInput, NotFound, StoreUnavailable
from docyard.settings import Settings

_BATCH_SIZE = 200  # ids per transaction, which locks their rows


def act_on_each(ids: Iterable[UUID], act: Callable[[UUID], None], outcome: str, *, as_json: bool) -> None:
    """Act on each id separately, so that a refused id does not affect the others."""
    refused: dict[UUID, str] = {}
    unique = list(dict.fromkeys(ids))
    for one in unique:
        try:
            act(one)
        except (BadInput, NotFound, StoreUnavailable) as error:
            refused[one] = str(error)
    _report(unique, refused, outcome, as_json=as_json)


def act_on_batches(
    settings: Settings,
    ids: Iterable[UUID],
    act: Callable[[Connection, Sequence[UUID]], Mapping[UUID, str]],
    outcome: str,
    *,
    as_json: bool,
) -> None:
    """Act on the ids in batches, one transaction each; `act` returns the refused ids with the reason."""
    refused: dict[UUID, str] = {}
    unique = list(dict.fromkeys(ids))
    with open_installation(settings) as installation:
        for first in range(0, len(unique), _BATCH_SIZE):
            with installation.db.transaction() as conn:
                refused.update(act(conn, unique[first : first + _BATCH_SIZE]))
    _report(unique, refused, outcome, as_json=as_json)


def _report(ids: Sequence[UUID], refused: Mapping[UUID, str], outcome: str, *, as_json: bool) -> None:
    """Print the result; exit with 1 if an id was refused."""
    done = [one for one in ids if one not in refused]
    if as_json:
        print_json({outcome: done, "left": {str(one): reason for one, reason in refused.items()}})
    else:
        click.echo(f"{len(done)} {outcome}.")
    for one, reason in refused.items():
        click.echo(f"{one}: {reason}", err=True)
    if refused:
        raise SystemExit(1)
