"""Settings with their defaults and descriptions; entry points load them once and pass the values on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

PREFIX = "DOCYARD_"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_PARSERS: dict[type, Any] = {str: str, int: int, float: float, type(Path()): Path}
_DEFAULT_HOME = Path("~/.local/share/docyard")


class InvalidSetting(ValueError):
    """A setting has an invalid value."""


def _setting(default: Any, meaning: str, *, minimum: float | None = None, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"meaning": meaning, "minimum": minimum, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings; each environment variable is DOCYARD_ plus the field name in upper case."""

    home: Path = field(
        default=_DEFAULT_HOME, metadata={"meaning": "Folder for the embedded database, blobs and temporary files."}
    )
    database_url: str = _setting(
        "", "URL of a PostgreSQL database (15 or later) to use instead of the embedded one; connect as its owner."
    )
    web_database_url: str = _setting(
        "",
        "URL of the same database for the unprivileged web role. If empty, the web process connects to an"
        " external database as the owner and switches to that role.",
    )
    host: str = _setting("127.0.0.1", "Address the web app listens on.")
    port: int = _setting(
        8400,
        "Port the web app listens on; if it is not set, docyard up uses the first free port from 8400 on.",
        minimum=1,
    )
    public_url: str = _setting(
        "",
        "URL that users open, if the web app is behind a proxy; determines links, an additional allowed host"
        " and, with https, secure cookies.",
    )
    metrics_token: str = _setting(
        "", "Bearer token required by /metrics; if empty, only requests from this machine are answered."
    )
    upload_limit_mb: int = _setting(200, "Maximum size of an uploaded file, in megabytes.", minimum=1)
    slots: int = _setting(0, "Number of documents a worker processes in parallel; 0 means one per CPU core.", minimum=0)
    child_memory_mb: int = _setting(2048, "Memory that one confined child process may use, in megabytes.", minimum=64)
    stage_seconds: int = _setting(300, "Wall-clock and CPU seconds that one stage may take on one document.", minimum=1)
    page_seconds: int = _setting(
        120, "Wall-clock and CPU seconds that OCR may take on one page; after that, it reads the next page.", minimum=1
    )
    ocr_engine: str = _setting(
        "auto",
        "OCR engine: paddle (models from a Python package), tesseract (the program), or auto: paddle if"
        " installed, otherwise tesseract.",
        choices=("auto", "paddle", "tesseract"),
    )
    embedding_model: str = _setting(
        "",
        "Folder of another sentence model (BERT weights in safetensors, mean pooling); if empty, the model of"
        " the installed package is used.",
    )
    poll_interval: float = _setting(
        2.0, "Seconds between two polls of the queue if no notification arrives.", minimum=0.05
    )
    lease_seconds: float = _setting(
        30.0, "Seconds without a heartbeat after which a worker's jobs go to other workers.", minimum=1
    )
    drain_seconds: float = _setting(
        20.0,
        "Seconds for which a worker finishes its jobs after SIGTERM; then it returns them to the queue. Kubernetes"
        " waits 30 seconds and systemd 90 before they kill a process, unless configured otherwise.",
        minimum=0,
    )
    batch_size: int = _setting(
        0, "Maximum number of jobs in one claim; 0 means as many as there are free slots.", minimum=0
    )
    max_docs: int = _setting(0, "Number of jobs after which a worker stops; 0 means no limit.", minimum=0)
    single_run: bool = _setting(False, "Claim jobs once, finish them, and stop the worker.")
    resources: str = _setting(
        "", "Comma-separated resources this worker serves (cpu, ocr, llm, embed); if empty, all of them."
    )
    stages: str = _setting("", "Comma-separated stages this worker serves; if empty, all stages of its resources.")
    secret_key: str = _setting(
        "",
        "Secret that encrypts the API keys of LLM connections; must be the same on all hosts. To replace it,"
        " list the new and the old secret, separated by a comma: the first one encrypts, all of them decrypt."
        " If empty, a secret stored in DOCYARD_HOME is used.",
    )
    llm_concurrency: int = _setting(
        10, "Maximum number of running jobs for a new LLM connection, across all hosts.", minimum=1
    )
    llm_rate: float = _setting(
        20.0, "Maximum number of jobs started per second for a new LLM connection, across all hosts.", minimum=0.01
    )
    history_days: int = _setting(
        30, "Number of days for which finished jobs are kept before their partition is dropped.", minimum=1
    )
    log_level: str = _setting("INFO", "Lowest level that is logged: DEBUG, INFO, WARNING or ERROR.", choices=_LEVELS)
    log_json: bool = _setting(False, "Write logs as one JSON object per line.")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment; raise InvalidSetting if a value is not valid."""
    source = os.environ if environ is None else environ
    values = {
        spec.name: _parse_value(spec, source[_variable_name(spec.name)])
        for spec in fields(Settings)
        if source.get(_variable_name(spec.name), "") != ""
    }
    loaded = Settings(**values)
    return replace(loaded, home=loaded.home.expanduser().absolute())


def is_set(name: str, environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the environment has a non-empty value for this setting, even if it is the default."""
    return bool((os.environ if environ is None else environ).get(_variable_name(name)))


def _variable_name(name: str) -> str:
    return PREFIX + name.upper()


def _parse_value(spec: Field[Any], text: str) -> Any:
    try:
        value = _parse_boolean(text) if isinstance(spec.default, bool) else _PARSERS[type(spec.default)](text)
    except ValueError as error:
        kind = type(spec.default).__name__
        raise InvalidSetting(f"{_variable_name(spec.name)}={text!r} is not a valid {kind}.") from error
    minimum, choices = spec.metadata.get("minimum"), spec.metadata.get("choices")
    if minimum is not None and not value >= minimum:
        raise InvalidSetting(f"{_variable_name(spec.name)}={text!r} is too small; the minimum is {minimum}.")
    if choices and str(value).upper() not in map(str.upper, choices):
        raise InvalidSetting(f"{_variable_name(spec.name)}={text!r} must be one of {', '.join(choices)}.")
    return value


def _parse_boolean(text: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]
