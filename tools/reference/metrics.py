"""docs/reference/metrics.md, from the metrics that a new installation exposes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.db import Connection
from docyard.web.metrics.exposition import Metric
from docyard.web.metrics.measures import measures, read_facts
from tools.reference.markdown import table

HEAD = """# Metrics

`GET /metrics` answers in the text format of Prometheus. From the same host it needs no token; from elsewhere
it needs the bearer token in `DOCYARD_METRICS_TOKEN`. Values are counted beforehand, so a scrape costs the
same at any backlog.
"""
_LABEL = re.compile(r'[{,](\w+)="')


def render(conn: Connection) -> str:
    """Return the page."""
    return HEAD + table(["metric", "type", "labels", "meaning"], map(_row, _metrics(conn)))


def _metrics(conn: Connection) -> Iterator[Metric]:
    yield from measures(read_facts(conn))


def _row(metric: Metric) -> tuple[str, str, str, str]:
    labels = dict.fromkeys(name for line in metric.lines for name in _LABEL.findall(line))
    return f"`{metric.name}`", metric.kind, ", ".join(f"`{name}`" for name in labels), metric.help
