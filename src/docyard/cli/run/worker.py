"""`docyard worker`: process what is queued."""

from __future__ import annotations

from dataclasses import replace

import click

from docyard import log
from docyard.cli.installation import opened
from docyard.cli.pipeline import pipeline_of
from docyard.settings import Settings
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stopping import Stopping


@click.command()
@click.option("--slots", type=click.IntRange(1), help="Documents processed at once [one per core].")
@click.option("--batch-size", type=click.IntRange(1), help="Most jobs claimed at once [the free slots].")
@click.option("--max-docs", type=click.IntRange(1), help="Stop after so many jobs.")
@click.option("--single-run", is_flag=True, default=None, help="Claim once, finish that, and stop.")
@click.option("--poll-interval", type=click.FloatRange(0.05), help="Seconds between looks at the queue [2].")
@click.option("--resources", help="Comma-separated resources to serve, such as cpu,ocr [all].")
@click.option("--stages", help="Comma-separated stages to serve, such as extract,chunk [all].")
@click.option("--log-level", type=click.Choice(log.LEVELS, case_sensitive=False))
@click.pass_obj
def worker(settings: Settings, /, log_level: str | None, **given: object) -> None:
    """Claim jobs and process them until stopped; the first SIGTERM drains, the second gives back."""
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    log.configure((log_level or settings.log_level).upper(), as_json=settings.log_json)
    stopping = Stopping()
    stopping.on_signals()
    options = options_from(settings)
    slots = options.slot_count
    # A slot needs a connection only between stages, and the server has a hundred for everybody.
    with (
        opened(settings, connections=min(slots, 8) + 3) as installation,
        pipeline_of(installation, slots) as pipeline,
    ):
        run_worker(pipeline, options, stopping)


def options_from(settings: Settings) -> WorkerOptions:
    """What the settings tell a worker."""
    return WorkerOptions(
        slots=settings.slots,
        batch_size=settings.batch_size,
        max_docs=settings.max_docs,
        single_run=settings.single_run,
        poll_interval=settings.poll_interval,
        lease_seconds=settings.lease_seconds,
        history_days=settings.history_days,
        resources=_names(settings.resources),
        stages=_names(settings.stages),
    )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
