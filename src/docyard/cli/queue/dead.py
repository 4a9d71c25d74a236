"""`docyard dead`: dead letters, listed, grouped, replayed, given up and exported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

import click

from docyard import queue
from docyard.cli.installation import opened
from docyard.cli.options import Command, json_option
from docyard.cli.output import plain, print_json, print_json_line, print_table
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.jobs import DeadLetter
from docyard.pipeline.reprocess import replay_letters
from docyard.settings import Settings

_PART = 500
_ATTEMPT = ("attempt", "at", "stage", "category", "message", "worker")


@click.group()
def dead() -> None:
    """Jobs that could not succeed, kept with the reason."""


def _choice(command: Command) -> Command:
    """`--category` and `--cause`, for commands about many letters."""
    category = click.option("--category", help="Only letters of this category.")
    cause = click.option("--cause", help="Only letters of this cause, as `dead causes` shows it.")
    return category(cause(command))


@dead.command("list")
@_choice
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@json_option
@click.pass_obj
def list_letters(
    settings: Settings, category: str | None, cause: str | None, limit: int, as_json: bool
) -> None:
    """List dead letters, newest first."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        letters = queue.dead_letters(conn, category=category, cause=cause, most=limit)
    if as_json:
        print_json([asdict(letter) for letter in letters])
        return
    columns = ("Letter", "Document", "Stage", "Category", "Reason", "Attempts", "Died")
    print_table(columns, map(_line, letters), "There are no dead letters.")


def _line(letter: DeadLetter) -> tuple[object, ...]:
    died = f"{letter.died_at:%Y-%m-%d %H:%M}"
    reason = (letter.category, letter.message, letter.attempts)
    return (letter.id, letter.document_name, letter.stage, *reason, died)


@dead.command()
@json_option
@click.pass_obj
def causes(settings: Settings, as_json: bool) -> None:
    """What letters died of, most frequent first."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        found = queue.dead_causes(conn)
    if as_json:
        print_json([asdict(cause) for cause in found])
        return
    rows = [(c.fingerprint[:8], c.letters, c.stage, c.category, c.example) for c in found]
    print_table(("Cause", "Letters", "Stage", "Category", "For example"), rows, "There are no dead letters.")


@dead.command()
@click.argument("letter", type=click.UUID)
@json_option
@click.pass_obj
def show(settings: Settings, letter: UUID, as_json: bool) -> None:
    """Show one dead letter with every attempt."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        found = queue.dead_letter(conn, letter)
    if as_json:
        print_json(asdict(found))
        return
    click.echo(plain(f"{found.document_name or found.type}: {found.message}"))
    attempts = [[one.get(key) for key in _ATTEMPT] for one in found.failure_history]
    print_table([key.capitalize() for key in _ATTEMPT], attempts, "No attempt left a trace.")


@dead.command()
@click.argument("letters", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Every letter.")
@_choice
@json_option
@click.pass_obj
def replay(settings: Settings, /, as_json: bool, **choice: Any) -> None:
    """Put dead letters back into the queue."""
    _act(settings, "replayed", "put back into the queue", replay_letters, as_json=as_json, **choice)


@dead.command()
@click.argument("letters", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Every letter.")
@_choice
@json_option
@click.pass_obj
def discard(settings: Settings, /, as_json: bool, **choice: Any) -> None:
    """Give dead letters up for good; their documents stay as they are."""
    _act(settings, "discarded", "discarded", queue.discard, as_json=as_json, **choice)


@dead.command()
@_choice
@click.pass_obj
def export(settings: Settings, category: str | None, cause: str | None) -> None:
    """Write every letter as one JSON object per line."""
    with opened(settings) as installation:
        with installation.db.transaction() as conn:
            ids = queue.dead_letter_ids(conn, category=category, cause=cause)
        # In parts: whoever reads the output may be slow, and no transaction waits for that.
        for part in range(0, len(ids), _PART):
            with installation.db.transaction() as conn:
                letters = queue.letters_by_id(conn, ids[part : part + _PART])
            for letter in letters:
                print_json_line(asdict(letter))


def _act(
    settings: Settings,
    key: str,
    words: str,
    act: Callable[[Connection, Sequence[UUID]], list[UUID]],
    *,
    as_json: bool,
    **choice: Any,
) -> None:
    named: tuple[UUID, ...] = choice["letters"]
    if not (named or choice["everything"] or choice["category"] or choice["cause"]):
        raise BadInput("Name letters, a --category, a --cause, or --all.")
    with opened(settings) as installation, installation.db.transaction() as conn:
        chosen = named or queue.dead_letter_ids(conn, category=choice["category"], cause=choice["cause"])
        done = act(conn, chosen)
    if as_json:
        print_json({key: done})
    else:
        click.echo(f"{len(done)} {words}.")
    if len(done) < len(named):
        click.echo("The others are unknown, or their work is already in the queue.", err=True)
        raise SystemExit(1)
