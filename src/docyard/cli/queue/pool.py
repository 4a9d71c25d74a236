"""`docyard pool`: create pools."""

from __future__ import annotations

import click

from docyard.cli.installation import open_installation
from docyard.queue import control
from docyard.settings import Settings


@click.group()
def pool() -> None:
    """Create pools of jobs."""


@pool.command()
@click.argument("name")
@click.option(
    "--resource",
    type=click.Choice(("cpu", "ocr", "llm", "embed")),
    required=True,
    help="Resource that the jobs of the pool need.",
)
@click.option(
    "--running",
    type=click.IntRange(1),
    help="Maximum number of concurrent jobs (default: DOCYARD_LLM_CONCURRENCY for llm, else no limit).",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Maximum number of jobs started per second (default: DOCYARD_LLM_RATE for llm, else no limit).",
)
@click.option(
    "--burst",
    type=click.IntRange(1),
    help="Maximum number of jobs started together after an idle period (default: same as --running, or 1).",
)
@click.pass_obj
def add(
    settings: Settings, name: str, resource: str, running: int | None, rate: float | None, burst: int | None
) -> None:
    """Create the pool NAME; the limits of an existing pool do not change (use `docyard limit pool`)."""
    if resource == "llm":
        running, rate = running or settings.llm_concurrency, rate or settings.llm_rate
    with open_installation(settings) as installation, installation.db.transaction() as conn:
        created = control.create_pool(conn, name, resource, max_running=running, rate=rate, burst=burst or running or 1)
    if created:
        limits = f"concurrent jobs: {running or 'no limit'}; starts per second: {rate or 'no limit'}"
        click.echo(f"Created the pool {name} for {resource}: {limits}.")
    else:
        click.echo(
            f"The pool {name} already exists and keeps its limits. Change them with: docyard limit pool {name!r}"
        )
