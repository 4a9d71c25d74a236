"""`docyard dead`: list, count, replay, discard and export dead letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

import click

from docyard import queue
from docyard.cli.installation import open_installation
from docyard.cli.options import Command, json_option
from docyard.cli.output import print_json, print_json_line, print_table, strip_control_characters
from docyard.db import Connection
from docyard.errors import BadInput
from docyard.model.jobs import DeadLetter
from docyard.pipeline.reruns import replay_dead_letters
from docyard.settings import Settings

_BATCH_SIZE = 500  # dead letters per transaction
_ATTEMPT_KEYS = ("attempt", "at", "stage", "category", "message", "worker")


@click.group()
def dead() -> None:
    """Inspect, replay and discard dead letters (failed jobs)."""


def _filter_options(command: Command) -> Command:
    """Add the options `--category` and `--cause` to a command."""
    category = click.option("--category", help="Only dead letters of this failure category.")
    cause = click.option("--cause", help="Only dead letters of this cause, as shown by `docyard dead causes`.")
    return category(cause(command))


@dead.command("list")
@_filter_options
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Maximum number of dead letters."
)
@json_option
@click.pass_obj
def list_letters(settings: Settings, category: str | None, cause: str | None, limit: int, as_json: bool) -> None:
    """List dead letters with their reasons, newest first."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        letters = queue.find_dead_letters(conn, category=category, cause=cause, limit=limit)
    if as_json:
        print_json([asdict(letter) for letter in letters])
        return
    columns = ("Letter", "Document", "Stage", "Category", "Reason", "Attempts", "Died")
    print_table(columns, map(_make_row, letters), "There are no dead letters.")


def _make_row(letter: DeadLetter) -> tuple[object, ...]:
    died = f"{letter.died_at:%Y-%m-%d %H:%M}"
    reason = (letter.category, letter.message, letter.attempts)
    return (letter.id, letter.document_name, letter.stage, *reason, died)


@dead.command()
@json_option
@click.pass_obj
def causes(settings: Settings, as_json: bool) -> None:
    """Count dead letters by cause, most frequent first."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        found = queue.find_causes(conn)
    if as_json:
        print_json([asdict(cause) for cause in found])
        return
    rows = [(c.fingerprint[:8], c.letters, c.stage, c.category, c.example) for c in found]
    print_table(("Cause", "Letters", "Stage", "Category", "Example"), rows, "There are no dead letters.")


@dead.command()
@click.argument("letter", type=click.UUID)
@json_option
@click.pass_obj
def show(settings: Settings, letter: UUID, as_json: bool) -> None:
    """Show all attempts of the dead letter with the id LETTER."""
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        found = queue.get_dead_letter(conn, letter)
    if as_json:
        print_json(asdict(found))
        return
    click.echo(strip_control_characters(f"{found.document_name or found.type}: {found.message}"))
    attempts = [[one.get(key) for key in _ATTEMPT_KEYS] for one in found.failure_history]
    print_table([key.capitalize() for key in _ATTEMPT_KEYS], attempts, "No attempts were recorded.")


@dead.command()
@click.argument("letters", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Select all dead letters.")
@_filter_options
@json_option
@click.pass_obj
def replay(settings: Settings, /, as_json: bool, **selection: Any) -> None:
    """Put dead letters back into the queue.

    LETTERS are the ids of dead letters. Without ids, --all, --category or --cause select them. With ids,
    --category and --cause restrict the selection.
    """
    _act_on_letters(settings, "replayed", "put back into the queue", replay_dead_letters, as_json=as_json, **selection)


@dead.command()
@click.argument("letters", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Select all dead letters.")
@_filter_options
@json_option
@click.pass_obj
def discard(settings: Settings, /, as_json: bool, **selection: Any) -> None:
    """Discard dead letters permanently.

    LETTERS are the ids of dead letters. Without ids, --all, --category or --cause select them. With ids,
    --category and --cause restrict the selection. Their documents stay as they are; no reset queues them, but
    `docyard retry` does.
    """
    _act_on_letters(settings, "discarded", "discarded", queue.discard, as_json=as_json, **selection)


@dead.command()
@_filter_options
@click.pass_obj
def export(settings: Settings, category: str | None, cause: str | None) -> None:
    """Print dead letters as one JSON object per line, newest first."""
    with open_installation(settings) as installation:
        with installation.db.transaction() as conn:
            ids = queue.find_dead_letter_ids(conn, category=category, cause=cause)
        # In batches, so that a slow reader of the output does not keep a transaction open.
        for first in range(0, len(ids), _BATCH_SIZE):
            with installation.db.transaction() as conn:
                letters = queue.get_dead_letters(conn, ids[first : first + _BATCH_SIZE])
            for letter in letters:
                print_json_line(asdict(letter))


def _act_on_letters(
    settings: Settings,
    key: str,
    description: str,
    act: Callable[[Connection, Sequence[UUID]], list[UUID]],
    *,
    as_json: bool,
    **selection: Any,
) -> None:
    named: tuple[UUID, ...] = selection["letters"]
    if not (named or selection["everything"] or selection["category"] or selection["cause"]):
        raise BadInput("Pass the ids of dead letters, or select them with --category, --cause or --all.")
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        filters = {name: selection[name] for name in ("category", "cause")}
        done = act(conn, queue.find_dead_letter_ids(conn, **filters, ids=named or None))
    if as_json:
        print_json({key: done})
    else:
        click.echo(f"{len(done)} {description}.")
    missing = len(set(named)) - len(done)
    if missing > 0:
        causes = "does not exist, does not match the options, or its job is already in the queue"
        click.echo(f"Not {key}: {missing}. Each of these {causes}.", err=True)
        raise SystemExit(1)
