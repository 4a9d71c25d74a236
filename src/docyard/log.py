"""Structured logs: one event per fact, as one line for people or one JSON object for programs."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

_logger = logging.getLogger("docyard")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def event(name: str, /, **facts: object) -> None:
    """Record that something happened."""
    _emit(logging.INFO, name, facts)


def debug(name: str, /, **facts: object) -> None:
    """Record a detail that only matters when looking for a cause."""
    _emit(logging.DEBUG, name, facts)


def warn(name: str, /, **facts: object) -> None:
    """Record something an operator may want to know."""
    _emit(logging.WARNING, name, facts)


def fail(name: str, /, error: BaseException | None = None, **facts: object) -> None:
    """Record something that should not have happened, with its traceback."""
    _emit(logging.ERROR, name, facts, error)


def configure(level: str = "INFO", *, as_json: bool = False) -> None:
    """Send events to standard error; called once by an entry point."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine() if as_json else _PlainLine())
    _logger.handlers[:] = [handler]
    _logger.setLevel(level.upper())
    _logger.propagate = False


def _emit(level: int, name: str, facts: Mapping[str, object], error: BaseException | None = None) -> None:
    if _logger.isEnabledFor(level):
        _logger.log(level, name, extra={"facts": facts}, exc_info=error)


class _PlainLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        facts = " ".join(f"{key}={_short(value)}" for key, value in _facts(record).items())
        line = f"{at} {record.levelname.lower():<7} {record.getMessage()} {facts}".rstrip()
        return line + ("\n" + self.formatException(record.exc_info) if record.exc_info else "")


class _JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **_facts(record),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


def _facts(record: logging.LogRecord) -> Mapping[str, object]:
    facts: Mapping[str, object] = getattr(record, "facts", {})
    return facts


def _short(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if " " in text or "\n" in text or not text else text
