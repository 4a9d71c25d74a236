"""`docyard worker`: process queued jobs."""

from __future__ import annotations

from dataclasses import replace

import click

from docyard import log
from docyard.cli.blob_store import await_blobs
from docyard.cli.installation import open_installation
from docyard.cli.pipeline import open_pipeline
from docyard.settings import Settings
from docyard.worker import WorkerOptions, run_worker
from docyard.worker.stop_request import StopRequest

# A duty's statement at a million jobs takes seconds. A worker waits this long for a connection that became silent.
_STATEMENT_SECONDS = 30.0
_GRACE_SECONDS = 10.0  # together with the default of the drain seconds, the 30 seconds that Kubernetes waits


@click.command()
@click.option(
    "--slots",
    type=click.IntRange(1),
    help="Number of concurrent jobs, not counting those that call an LLM (default: one per CPU core).",
)
@click.option(
    "--batch-size", type=click.IntRange(1), help="Maximum number of jobs per claim (default: the number of free slots)."
)
@click.option("--max-docs", type=click.IntRange(1), help="Stop after this number of jobs.")
@click.option("--single-run", is_flag=True, default=None, help="Claim jobs once, finish them, and stop.")
@click.option("--poll-interval", type=click.FloatRange(0.05), help="Seconds between polls of the queue (default: 2).")
@click.option(
    "--drain-seconds",
    type=click.FloatRange(0),
    help="Seconds to finish the jobs after SIGTERM, before they are returned to the queue (default: 20).",
)
@click.option("--resources", help="Process only jobs of these resources, such as cpu,ocr (default: all).")
@click.option("--stages", help="Process only jobs of these stages, such as extract,chunk (default: all).")
@click.option(
    "--log-level",
    type=click.Choice(log.LEVELS, case_sensitive=False),
    help="Lowest level that is logged (default: DOCYARD_LOG_LEVEL, else info).",
)
@click.pass_obj
def worker(settings: Settings, /, log_level: str | None, **flags: object) -> None:
    """Claim and process jobs until stopped.

    After the first SIGTERM or Ctrl-C, the worker finishes its jobs. After the second, or after the drain
    seconds, it returns them to the queue. Settings such as DOCYARD_SLOTS change the defaults.
    """
    settings = replace(settings, **{name: value for name, value in flags.items() if value is not None})  # type: ignore[arg-type]
    log.configure((log_level or settings.log_level).upper(), as_json=settings.log_json)
    stopping = StopRequest(settings.drain_seconds, _GRACE_SECONDS)
    stopping.handle_signals()
    options = make_worker_options(settings)
    slots = options.slot_count
    # Slots share a few connections, because a slot needs one only between stages, and the embedded server
    # allows 100 in total.
    with open_installation(
        settings, connections=min(slots, 8) + 3, statement_seconds=_STATEMENT_SECONDS
    ) as installation:
        blobs = await_blobs(installation, stopping.wake)
        with open_pipeline(installation, blobs, slots) as pipeline:
            run_worker(pipeline, options, stopping)


def make_worker_options(settings: Settings) -> WorkerOptions:
    """Return the worker options configured in the settings."""
    return WorkerOptions(
        slots=settings.slots,
        batch_size=settings.batch_size,
        max_docs=settings.max_docs,
        single_run=settings.single_run,
        poll_interval=settings.poll_interval,
        lease_seconds=settings.lease_seconds,
        history_days=settings.history_days,
        resources=_split_names(settings.resources),
        stages=_split_names(settings.stages),
    )


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
