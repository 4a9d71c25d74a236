"""`docyard dead`: dead letters, listed and replayed."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

import click

from docyard import queue
from docyard.cli.choices import json_option
from docyard.cli.opening import opened
from docyard.cli.output import print_json, print_table
from docyard.errors import BadInput
from docyard.pipeline.again import replay_letters
from docyard.settings import Settings


@click.group()
def dead() -> None:
    """Jobs that could not succeed, kept with the reason."""


@dead.command("list")
@click.option("--category", help="Only letters of this category.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@json_option
@click.pass_obj
def list_letters(settings: Settings, category: str | None, limit: int, as_json: bool) -> None:
    """List dead letters, newest first."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        letters = queue.dead_letters(conn, category=category, most=limit)
    if as_json:
        print_json([asdict(letter) for letter in letters])
        return
    print_table(
        ("Letter", "Document", "Stage", "Category", "Reason", "Attempts", "Died"),
        [
            (
                letter.id,
                letter.document_name,
                letter.stage,
                letter.category,
                letter.message,
                letter.attempts,
                f"{letter.died_at:%Y-%m-%d %H:%M}",
            )
            for letter in letters
        ],
        "There are no dead letters.",
    )


@dead.command()
@click.argument("letters", nargs=-1, type=click.UUID)
@click.option("--all", "everything", is_flag=True, help="Replay every letter.")
@click.option("--category", help="Replay every letter of this category.")
@json_option
@click.pass_obj
def replay(
    settings: Settings, letters: tuple[UUID, ...], everything: bool, category: str | None, as_json: bool
) -> None:
    """Put dead letters back into the queue."""
    if not (letters or everything or category):
        raise BadInput("Name letters, a --category, or --all.")
    with opened(settings) as installation, installation.db.transaction() as conn:
        chosen = letters or [
            letter.id for letter in queue.dead_letters(conn, category=category, most=100_000)
        ]
        revived = replay_letters(conn, list(chosen))
    if as_json:
        print_json({"replayed": revived})
    else:
        click.echo(f"{len(revived)} put back into the queue.")
    if letters and len(revived) < len(letters):
        click.echo("The others are unknown, or their work is already in the queue.", err=True)
        raise SystemExit(1)
