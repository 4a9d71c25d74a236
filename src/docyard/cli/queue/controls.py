"""`docyard pause`, `resume` and `limit`, which apply to the workers of all hosts."""

from __future__ import annotations

import click

from docyard.cli.installation import open_installation
from docyard.queue import control
from docyard.settings import Settings

_kind_argument = click.argument("kind", type=click.Choice(control.PAUSABLE_KINDS))
_name_argument = click.argument("name")
_running_option = click.option(
    "--running", type=click.IntRange(1), help="Maximum number of concurrent jobs (default: no limit)."
)


@click.command()
@_kind_argument
@_name_argument
@click.pass_obj
def pause(settings: Settings, kind: str, name: str) -> None:
    """Pause the pool, tier or workspace NAME.

    Its jobs are not started until it is resumed with `docyard resume`. Running jobs finish.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        control.pause(conn, kind, name)
    click.echo(f"The {kind} {name} is paused. Resume it with: docyard resume {kind} {name!r}")


@click.command()
@_kind_argument
@_name_argument
@click.pass_obj
def resume(settings: Settings, kind: str, name: str) -> None:
    """Resume the paused pool, tier or workspace NAME.

    For a pool, this also closes its circuit breaker.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        control.resume(conn, kind, name)
    click.echo(f"The {kind} {name} was resumed.")


@click.group()
def limit() -> None:
    """Limit the jobs of a pool or workspace."""


@limit.command("pool")
@_name_argument
@_running_option
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Maximum number of jobs started per second (default: no limit).",
)
@click.option(
    "--burst",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Maximum number of jobs started together after an idle period; used only with --rate.",
)
@click.pass_obj
def limit_pool(settings: Settings, name: str, running: int | None, rate: float | None, burst: int) -> None:
    """Set the limits of the pool NAME, for all hosts together.

    If --running or --rate is omitted, that limit is removed.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        control.limit_pool(conn, name, max_running=running, rate=rate, burst=burst)
    click.echo(f"Pool {name}: concurrent jobs: {running or 'no limit'}; starts per second: {rate or 'no limit'}.")


@limit.command("workspace")
@_name_argument
@_running_option
@click.option("--retries", type=click.IntRange(1), help="Retries granted per period (default: 1000).")
@click.option("--period", type=click.IntRange(1), help="Length of the period in minutes (default: 60).")
@click.pass_obj
def limit_workspace(
    settings: Settings, name: str, running: int | None, retries: int | None, period: int | None
) -> None:
    """Set the limits of the workspace NAME, for all hosts together.

    --running applies to each pool separately. If an option is omitted, its limit is reset to the default.
    """
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        control.limit_workspace(conn, name, max_running=running)
        control.limit_retries(conn, name, retries=retries, minutes=period)
    click.echo(
        f"Workspace {name}: concurrent jobs in each pool: {running or 'no limit'}; retries in"
        f" {period or control.DEFAULT_PERIOD_MINUTES} minutes: {retries or control.DEFAULT_RETRIES}."
    )
