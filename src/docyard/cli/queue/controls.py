"""`docyard pause`, `resume` and `limit`: holding work back, on all hosts at once."""

from __future__ import annotations

import click

from docyard.cli.installation import opened
from docyard.queue import control
from docyard.settings import Settings

_kind = click.argument("kind", type=click.Choice(control.KINDS))
_name = click.argument("name")
_running = click.option("--running", type=click.IntRange(1), help="Most jobs at once [no limit].")


@click.command()
@_kind
@_name
@click.pass_obj
def pause(settings: Settings, kind: str, name: str) -> None:
    """Start nothing more of a pool, tier or workspace; what runs is finished."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        control.pause(conn, kind, name)
    click.echo(f"The {kind} {name} is paused. To go on: docyard resume {kind} {name!r}")


@click.command()
@_kind
@_name
@click.pass_obj
def resume(settings: Settings, kind: str, name: str) -> None:
    """Go on with a paused pool, tier or workspace; a pool at once, also when its breaker is open."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        control.resume(conn, kind, name)
    click.echo(f"The {kind} {name} goes on.")


@click.group()
def limit() -> None:
    """Bound how much of a pool or workspace runs."""


@limit.command("pool")
@_name
@_running
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Jobs started a second [no limit].")
@click.option("--burst", type=click.IntRange(1), default=1, show_default=True, help="Jobs started at once.")
@click.pass_obj
def limit_pool(settings: Settings, name: str, running: int | None, rate: float | None, burst: int) -> None:
    """Bound a pool; an option left out lifts that bound."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        control.limit_pool(conn, name, max_running=running, rate=rate, burst=burst)
    click.echo(f"Pool {name}: {running or 'any number of'} jobs at once, {rate or 'any number'} a second.")


@limit.command("workspace")
@_name
@_running
@click.option("--retries", type=click.IntRange(1), help="Retries granted in each period [1000].")
@click.option("--period", type=click.IntRange(1), help="Minutes of that period [60].")
@click.pass_obj
def limit_workspace(
    settings: Settings, name: str, running: int | None, retries: int | None, period: int | None
) -> None:
    """Bound a workspace; an option left out lifts that bound, or gives back the usual one."""
    with opened(settings) as installation, installation.db.transaction() as conn:
        control.limit_workspace(conn, name, max_running=running)
        control.limit_retries(conn, name, retries=retries, minutes=period)
    click.echo(
        f"Workspace {name}: {running or 'any number of'} jobs at once in each pool,"
        f" {retries or control.RETRIES} retries in {period or control.PERIOD_MINUTES} minutes."
    )
