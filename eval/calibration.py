"""Whether answers know how sure they are: what they say, and how often they are right then."""

from __future__ import annotations

from collections.abc import Sequence

from eval.intervals import share
from eval.tables import table

_BANDS = ((0.0, 0.2), (0.2, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.01))


def calibration(of: str, judged: Sequence[tuple[float, bool]]) -> str:
    """A row for each band of confidence that has answers."""
    rows = []
    for low, high in _BANDS:
        band = [(said, right) for said, right in judged if low <= said < high]
        if band:
            mean = sum(said for said, _ in band) / len(band)
            right = sum(right for _, right in band)
            rows.append((f"{low:.2f}–{min(high, 1):.2f}", len(band), f"{mean:.2f}", share(right, len(band))))
    return table((f"confidence of {of}", "count", "said", "right [95 %]"), rows)
