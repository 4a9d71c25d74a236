"""What a worker is told: the same by option and by environment, and nonsense is named."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from docyard import settings as settings_module
from docyard.cli.run.worker import options_from
from docyard.db import Database
from docyard.worker import WorkerOptions
from tests.cli.conftest import Shell
from tests.queue.crew import count

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
def test_each_option_can_be_given_by_the_environment(variable: str) -> None:
    text, name, value = BY_ENVIRONMENT[variable]
    told = options_from(settings_module.load({variable: text}))
    assert getattr(told, name) == value
    assert told != WorkerOptions()


def test_a_worker_that_is_told_nothing_looks_every_two_seconds_and_takes_what_there_is() -> None:
    assert options_from(settings_module.load({})) == WorkerOptions(poll_interval=2.0, lease_seconds=30.0)
    assert WorkerOptions().slot_count == (os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"DOCYARD_POLL_INTERVAL": "0"}, "too small"),
        ({"DOCYARD_BATCH_SIZE": "-1"}, "too small"),
        ({"DOCYARD_MAX_DOCS": "many"}, "not a valid int"),
        ({"DOCYARD_SINGLE_RUN": "perhaps"}, "not a valid bool"),
        ({"DOCYARD_LOG_LEVEL": "LOUD"}, "none of DEBUG"),
        ({"DOCYARD_LEASE_SECONDS": "nan"}, "too small"),
    ],
)
def test_a_value_that_does_not_fit_is_named(given: dict[str, str], words: str) -> None:
    with pytest.raises(settings_module.BadSetting, match=f"{next(iter(given))}.*{words}"):
        settings_module.load(given)


@pytest.mark.parametrize(
    "nonsense",
    [("--poll-interval", "0"), ("--batch-size", "0"), ("--max-docs", "-1"), ("--log-level", "loud")],
)
def test_an_option_that_does_not_fit_is_wrong_usage(stray_shell: Shell, nonsense: tuple[str, str]) -> None:
    assert nonsense[0] in stray_shell.run("worker", *nonsense, code=2)


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_worker_does_as_it_was_told(
    stray_shell: Shell, tmp_path: Path, database: Database, by: str
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"Paper {number}.")
    stray_shell.run("add", *(str(tmp_path / f"{number}.txt") for number in range(3)))

    def work(**told: str) -> None:
        variables = {f"DOCYARD_{name.upper()}": value for name, value in told.items()}
        words = [word for name, value in told.items() for word in (f"--{name.replace('_', '-')}", value)]
        if by == "environment":
            replace(stray_shell, environ={**stray_shell.environ, **variables}).run("worker")
        else:
            stray_shell.run("worker", *(word for word in words if word != "1"))

    work(stages="chunk", single_run="1")
    with database.transaction() as conn:
        assert count(conn, "jobs WHERE attempts > 0") == 0
    work(resources="cpu", max_docs="2", batch_size="3", slots="3", poll_interval="0.1", log_level="debug")
    with database.transaction() as conn:
        assert count(conn, "documents WHERE status = 'completed'") == 2
        assert count(conn, "jobs WHERE attempts > 0") == 0
    work(single_run="1")
    with database.transaction() as conn:
        assert count(conn, "documents WHERE status = 'completed'") == 3
        assert count(conn, "workers") == 3, "every boot has its own id, on the same host"
