"""`docyard pool`: adding pools, such as one for each LLM connection."""

from __future__ import annotations

import click

from docyard.cli.installation import opened
from docyard.queue import control
from docyard.settings import Settings


@click.group()
def pool() -> None:
    """Add pools of jobs."""


@pool.command()
@click.argument("name")
@click.option("--resource", type=click.Choice(("cpu", "ocr", "llm", "embed")), required=True)
@click.option("--running", type=click.IntRange(1), help="Most jobs at once [llm: by setting; else no limit].")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Jobs started a second [llm: by setting; else no limit].",
)
@click.option("--burst", type=click.IntRange(1), help="Jobs started at once [as many as may run].")
@click.pass_obj
def add(
    settings: Settings, name: str, resource: str, running: int | None, rate: float | None, burst: int | None
) -> None:
    """Make a pool; one that is there keeps its limits, which `docyard limit pool` changes."""
    if resource == "llm":
        running, rate = running or settings.llm_concurrency, rate or settings.llm_rate
    with opened(settings) as installation, installation.db.transaction() as conn:
        made = control.create_pool(
            conn, name, resource, max_running=running, rate=rate, burst=burst or running or 1
        )
    if made:
        bounds = f"{running or 'any number of'} jobs at once, {rate or 'any number'} a second"
        click.echo(f"Pool {name} of {resource}: {bounds}.")
    else:
        click.echo(f"Pool {name} is there already and keeps its limits.")
