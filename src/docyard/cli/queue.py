"""`docyard queue`: what waits, what runs, and who works."""

from __future__ import annotations

from dataclasses import asdict

import click

from docyard import queue
from docyard.cli.choices import json_option
from docyard.cli.opening import opened
from docyard.cli.output import print_json, print_table
from docyard.settings import Settings


@click.group("queue")
def queue_group() -> None:
    """Look at the queue."""


@queue_group.command()
@json_option
@click.pass_obj
def status(settings: Settings, as_json: bool) -> None:
    """Jobs by state and tier, dead letters, and the workers."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        board = queue.board(conn)
    if as_json:
        print_json(asdict(board))
    else:
        _print(board)


def _print(board: queue.Board) -> None:
    states = (
        ", ".join(f"{count} {state}" for state, count in sorted(board.states.items())) or "nothing is waiting"
    )
    click.echo(
        f"Jobs: {states}; {board.dead} dead letters; {board.finished_last_hour} finished in the last hour."
    )
    print_table(
        ("Tier", "Share", "Pending", "Running", "Oldest wait"),
        [(t.name, f"{t.share:.0%}", t.pending, t.running, f"{t.oldest_wait:.0f} s") for t in board.tiers],
        "No tiers.",
    )
    print_table(
        ("Worker", "Host", "State", "Slots", "Running", "Heard of", "Late results refused"),
        [
            (
                str(w.id)[:8],
                f"{w.host}:{w.pid}",
                w.state,
                w.slots,
                w.running,
                f"{w.silent_seconds:.0f} s ago",
                w.rejected,
            )
            for w in board.workers
        ],
        "No worker is alive.",
    )
