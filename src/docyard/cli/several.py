"""Acting on several things by their ids: what is done is counted, what is refused is named with why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

import click

from docyard.cli.installation import opened
from docyard.cli.output import print_json
from docyard.db import Connection
from docyard.errors import BadInput, NotFound
from docyard.settings import Settings

_AT_ONCE = 200  # things of one transaction: it holds locks on their rows


def act_on_each(
    settings: Settings,
    ids: Iterable[UUID],
    act: Callable[[Connection, UUID], None],
    done: str,
    *,
    as_json: bool,
) -> None:
    """Each in a transaction of its own, so that one that is refused does not keep the others."""
    left: dict[UUID, str] = {}
    given = list(dict.fromkeys(ids))
    with opened(settings) as installation:
        for one in given:
            try:
                with installation.db.transaction() as conn:
                    act(conn, one)
            except (BadInput, NotFound) as error:
                left[one] = str(error)
    _say(given, left, done, as_json=as_json)


def act_on_parts(
    settings: Settings,
    ids: Iterable[UUID],
    act: Callable[[Connection, Sequence[UUID]], Mapping[UUID, str]],
    done: str,
    *,
    as_json: bool,
) -> None:
    """Many in one transaction; `act` gives those that it left, with the reason."""
    left: dict[UUID, str] = {}
    given = list(dict.fromkeys(ids))
    with opened(settings) as installation:
        for first in range(0, len(given), _AT_ONCE):
            with installation.db.transaction() as conn:
                left.update(act(conn, given[first : first + _AT_ONCE]))
    _say(given, left, done, as_json=as_json)


def _say(given: Sequence[UUID], left: Mapping[UUID, str], done: str, *, as_json: bool) -> None:
    """What was done, and what was left; then the exit code is 1."""
    acted = [one for one in given if one not in left]
    if as_json:
        print_json({done: acted, "left": {str(one): why for one, why in left.items()}})
    else:
        click.echo(f"{len(acted)} {done}.")
    for one, why in left.items():
        click.echo(f"{one}: {why}", err=True)
    if left:
        raise SystemExit(1)
