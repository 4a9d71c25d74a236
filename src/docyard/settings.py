"""Every setting, its default and its meaning; read once by an entry point and handed down as values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

PREFIX = "DOCYARD_"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_KINDS: dict[type, Any] = {str: str, int: int, float: float, type(Path()): Path}
_HOME = Path("~/.local/share/docyard")


class BadSetting(ValueError):
    """A setting has a value that does not fit."""


def _setting(default: Any, meaning: str, *, least: float | None = None, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"meaning": meaning, "least": least, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    """One value per setting; the environment variable is the field's name in capitals after DOCYARD_."""

    home: Path = field(
        default=_HOME, metadata={"meaning": "Folder for the embedded database, blobs and temporary files."}
    )
    database_url: str = _setting(
        "", "PostgreSQL 15 or later to use instead of the embedded one, as its owner."
    )
    web_database_url: str = _setting(
        "", "The same database as the unprivileged web role; without it the web switches to that role itself."
    )
    host: str = _setting("127.0.0.1", "Address the web app listens on.")
    port: int = _setting(
        8400, "Port the web app listens on; when unset, the next free port is taken.", least=1
    )
    public_url: str = _setting(
        "", "Address people use, when a proxy stands in front; decides allowed hosts and links."
    )
    metrics_token: str = _setting(
        "", "Bearer token that /metrics asks for; without it, only this very machine is answered."
    )
    upload_limit_mb: int = _setting(200, "Largest file accepted, in megabytes.", least=1)
    slots: int = _setting(0, "Documents a worker processes at once; 0 means one per CPU core.", least=0)
    child_memory_mb: int = _setting(
        2048, "Memory one confined child process may use, in megabytes.", least=64
    )
    stage_seconds: int = _setting(300, "Wall and CPU seconds one stage may take on one document.", least=1)
    page_seconds: int = _setting(
        120, "Wall and CPU seconds OCR may take on one page; the others do not wait for it longer.", least=1
    )
    ocr_engine: str = _setting(
        "auto",
        "What reads scans: paddle (models from a package), tesseract (the program), or auto: what there is.",
        choices=("auto", "paddle", "tesseract"),
    )
    embedding_model: str = _setting(
        "", "Folder of another sentence model (BERT in safetensors, mean of its words); empty: the package's."
    )
    poll_interval: float = _setting(
        2.0, "Seconds between looks at the queue when no notice arrives.", least=0.05
    )
    lease_seconds: float = _setting(
        30.0, "Seconds without a heartbeat after which a worker's jobs are given to others.", least=1
    )
    batch_size: int = _setting(
        0, "Most jobs claimed at once; 0 means as many as there are free slots.", least=0
    )
    max_docs: int = _setting(0, "Jobs after which a worker stops by itself; 0 means never.", least=0)
    single_run: bool = _setting(False, "Whether a worker claims once, finishes that, and stops.")
    resources: str = _setting(
        "", "Comma-separated resources this worker serves (cpu, ocr, llm, embed); empty means all."
    )
    stages: str = _setting("", "Comma-separated stages this worker serves; empty means all of its resources.")
    secret_key: str = _setting(
        "",
        "Secret that the keys of LLM connections are sealed with, the same on all hosts; several, separated"
        " by commas, while one is replaced: the first seals, all open. Empty means one of this home's own.",
    )
    llm_concurrency: int = _setting(
        10, "Jobs that run at once on a new LLM connection, on all hosts together.", least=1
    )
    llm_rate: float = _setting(
        20.0, "Jobs a second that start on a new LLM connection, on all hosts together.", least=0.01
    )
    history_days: int = _setting(
        30, "Days finished jobs are kept before their partition is dropped.", least=1
    )
    log_level: str = _setting("INFO", "DEBUG, INFO, WARNING or ERROR.", choices=_LEVELS)
    log_json: bool = _setting(False, "Write logs as one JSON object per line.")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment; a value that does not fit is refused with its name."""
    source = os.environ if environ is None else environ
    given = {
        spec.name: _value(spec, source[_variable(spec.name)])
        for spec in fields(Settings)
        if source.get(_variable(spec.name), "") != ""
    }
    loaded = Settings(**given)
    return replace(loaded, home=loaded.home.expanduser().absolute())


def is_given(name: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a person chose this setting, rather than its default."""
    return bool((os.environ if environ is None else environ).get(_variable(name)))


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _value(spec: Field[Any], text: str) -> Any:
    try:
        value = _boolean(text) if isinstance(spec.default, bool) else _KINDS[type(spec.default)](text)
    except ValueError as error:
        kind = type(spec.default).__name__
        raise BadSetting(f"{_variable(spec.name)}={text!r} is not a valid {kind}.") from error
    least, choices = spec.metadata.get("least"), spec.metadata.get("choices")
    if least is not None and not value >= least:
        raise BadSetting(f"{_variable(spec.name)}={text!r} is too small; the least is {least}.")
    if choices and str(value).upper() not in map(str.upper, choices):
        raise BadSetting(f"{_variable(spec.name)}={text!r} is none of {', '.join(choices)}.")
    return value


def _boolean(text: str) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]
