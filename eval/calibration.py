"""Calibration of confidences: mean confidence and accuracy by band."""

from __future__ import annotations

from collections.abc import Sequence

from eval.intervals import share
from eval.tables import table

_BANDS = ((0.0, 0.2), (0.2, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.01))


def calibration(of: str, judged: Sequence[tuple[float, bool]]) -> str:
    """Return a table with a row for each band of confidence that contains answers."""
    rows = []
    for low, high in _BANDS:
        band = [(confidence, correct) for confidence, correct in judged if low <= confidence < high]
        if band:
            mean = sum(confidence for confidence, _ in band) / len(band)
            correct = sum(correct for _, correct in band)
            rows.append((f"{low:.2f}–{min(high, 1):.2f}", len(band), f"{mean:.2f}", share(correct, len(band))))
    return table((f"confidence of {of}", "count", "mean confidence", "correct [95 %]"), rows)
