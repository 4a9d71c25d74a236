"""Tests of worker options, set on the command line or by environment variables."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from docyard import settings as settings_module
from docyard.cli.run.worker import make_worker_options
from docyard.db import Database
from docyard.worker import WorkerOptions
from tests.cli.conftest import Shell
from tests.queue.queue_workers import count_rows

BY_ENVIRONMENT = {
    "DOCYARD_SLOTS": ("3", "slots", 3),
    "DOCYARD_BATCH_SIZE": ("2", "batch_size", 2),
    "DOCYARD_MAX_DOCS": ("7", "max_docs", 7),
    "DOCYARD_SINGLE_RUN": ("yes", "single_run", True),
    "DOCYARD_POLL_INTERVAL": ("0.5", "poll_interval", 0.5),
    "DOCYARD_LEASE_SECONDS": ("12", "lease_seconds", 12.0),
    "DOCYARD_HISTORY_DAYS": ("4", "history_days", 4),
    "DOCYARD_RESOURCES": ("cpu, ocr", "resources", ("cpu", "ocr")),
    "DOCYARD_STAGES": ("extract,chunk,", "stages", ("extract", "chunk")),
}


@pytest.mark.parametrize("variable", BY_ENVIRONMENT)
def test_each_worker_option_has_an_environment_variable(variable: str) -> None:
    text, name, value = BY_ENVIRONMENT[variable]
    options = make_worker_options(settings_module.load({variable: text}))
    assert getattr(options, name) == value
    assert options != WorkerOptions()


def test_worker_option_defaults() -> None:
    assert make_worker_options(settings_module.load({})) == WorkerOptions(poll_interval=2.0, lease_seconds=30.0)
    assert WorkerOptions().slot_count == (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"DOCYARD_POLL_INTERVAL": "0"}, "too small"),
        ({"DOCYARD_BATCH_SIZE": "-1"}, "too small"),
        ({"DOCYARD_MAX_DOCS": "many"}, "not a valid int"),
        ({"DOCYARD_SINGLE_RUN": "perhaps"}, "not a valid bool"),
        ({"DOCYARD_LOG_LEVEL": "LOUD"}, "must be one of DEBUG"),
        ({"DOCYARD_LEASE_SECONDS": "nan"}, "too small"),
    ],
)
def test_invalid_setting_is_reported_by_name(environ: dict[str, str], message: str) -> None:
    with pytest.raises(settings_module.InvalidSetting, match=f"{next(iter(environ))}.*{message}"):
        settings_module.load(environ)


@pytest.mark.parametrize(
    "option", [("--poll-interval", "0"), ("--batch-size", "0"), ("--max-docs", "-1"), ("--log-level", "loud")]
)
def test_invalid_worker_option_is_a_usage_error(external_shell: Shell, option: tuple[str, str]) -> None:
    assert option[0] in external_shell.run("worker", *option, code=2)


@pytest.mark.parametrize("by", ["option", "environment"])
def test_worker_applies_options_and_environment(
    external_shell: Shell, tmp_path: Path, database: Database, by: str
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Paper {number}.")
    external_shell.run("add", *(str(tmp_path / f"{number}.txt") for number in range(3)))

    def work(**options: str) -> None:
        variables = {f"DOCYARD_{name.upper()}": value for name, value in options.items()}
        arguments = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
        if by == "environment":
            replace(external_shell, environ={**external_shell.environ, **variables}).run("worker")
        else:
            external_shell.run("worker", *(word for word in arguments if word != "1"))

    work(stages="chunk", single_run="1")
    with database.transaction() as conn:
        assert count_rows(conn, "jobs WHERE attempts > 0") == 0
    work(resources="cpu", max_docs="2", batch_size="3", slots="3", poll_interval="0.1", log_level="debug")
    with database.transaction() as conn:
        assert count_rows(conn, "documents WHERE status = 'completed'") == 2
        assert count_rows(conn, "jobs WHERE attempts > 0") == 0
    work(single_run="1")
    with database.transaction() as conn:
        assert count_rows(conn, "documents WHERE status = 'completed'") == 3
        assert count_rows(conn, "workers") == 3, "each start registers a new worker id"
