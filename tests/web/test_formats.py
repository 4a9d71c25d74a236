"""Tests of how durations are shown."""

from __future__ import annotations

from docyard.web.view.formats import format_duration, round_duration


def test_a_time_in_the_future_is_shown_as_no_age() -> None:
    assert (format_duration(-3600.0), round_duration(-3600.0)) == ("0 ms", "0\N{NO-BREAK SPACE}s")
