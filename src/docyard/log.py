"""Structured logs: one event per line, as plain text or as a JSON object."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

_logger = logging.getLogger("docyard")
_DRIVER = "psycopg"  # also the parent of the logger of its pool
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def event(name: str, /, **details: object) -> None:
    """Log an event at level INFO."""
    _emit(logging.INFO, name, details)


def debug(name: str, /, **details: object) -> None:
    """Log a detail for troubleshooting at level DEBUG."""
    _emit(logging.DEBUG, name, details)


def warn(name: str, /, **details: object) -> None:
    """Log an event that an operator should know about, at level WARNING."""
    _emit(logging.WARNING, name, details)


def fail(name: str, /, error: BaseException | None = None, **details: object) -> None:
    """Log an unexpected error at level ERROR, with the traceback of `error` if it is passed."""
    _emit(logging.ERROR, name, details, error)


def configure(level: str = "INFO", *, as_json: bool = False) -> None:
    """Write events of at least this level to standard error, as plain text or JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if as_json else _PlainFormatter())
    _logger.handlers[:] = [handler]
    _logger.setLevel(level.upper())
    _logger.propagate = False
    driver = logging.getLogger(_DRIVER)
    driver.handlers[:] = [_DriverHandler()]
    driver.propagate = False


def _emit(level: int, name: str, details: Mapping[str, object], error: BaseException | None = None) -> None:
    if _logger.isEnabledFor(level):
        _logger.log(level, name, extra={"details": details}, exc_info=error)


class _DriverHandler(logging.Handler):
    """A handler that logs warnings of the database driver as details; Docyard itself reports their causes."""

    def emit(self, record: logging.LogRecord) -> None:
        debug("driver_message", message=record.getMessage())


class _PlainFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        details = " ".join(f"{key}={_quote_if_needed(value)}" for key, value in _get_details(record).items())
        line = f"{at} {record.levelname.lower():<7} {record.getMessage()} {details}".rstrip()
        return line + ("\n" + self.formatException(record.exc_info) if record.exc_info else "")


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **_get_details(record),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


def _get_details(record: logging.LogRecord) -> Mapping[str, object]:
    details: Mapping[str, object] = getattr(record, "details", {})
    return details


def _quote_if_needed(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if " " in text or "\n" in text or not text else text
