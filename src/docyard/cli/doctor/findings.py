"""Results of the checks of `docyard doctor`."""

from __future__ import annotations

from dataclasses import dataclass

OK, WARN, FAIL = "ok", "warn", "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: its state, and a message for the operator."""

    check: str
    state: str
    words: str
