"""Metrics in the Prometheus text format 0.0.4."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LABEL_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})
_HELP_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n"})
Labels = Mapping[str, str]


@dataclass(slots=True)
class Metric:
    """One metric with its declared labels and the values added so far."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...] = ()
    lines: list[str] = field(default_factory=list)

    def add(self, value: float, suffix: str = "", **labels: str) -> None:
        """Add one value; raise ValueError unless its labels are the declared ones, in the same order."""
        declared = (*self.labels, "le") if suffix == "_bucket" else self.labels
        if tuple(labels) != declared:
            raise ValueError(f"{self.name} has the labels {declared}, not {tuple(labels)}.")
        self.lines.append(f"{self.name}{suffix}{_format_labels(labels)} {format_number(value)}")

    def text(self) -> str:
        """Return the metric with its HELP and TYPE lines."""
        header = [f"# HELP {self.name} {self.help.translate(_HELP_ESCAPES)}", f"# TYPE {self.name} {self.kind}"]
        return "".join(f"{line}\n" for line in (*header, *self.lines))


def format_metrics(metrics: Iterable[Metric]) -> str:
    """Return the text of all metrics."""
    return "".join(metric.text() for metric in metrics)


def format_number(value: float) -> str:
    """Return a value in Prometheus format."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _format_labels(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{value.translate(_LABEL_ESCAPES)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""
