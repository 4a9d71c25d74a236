"""docs/reference/metrics.md, from the metrics that a new installation exposes."""

from __future__ import annotations

from docyard.db import Connection
from docyard.web.metrics.exposition import Metric
from docyard.web.metrics.queue_metrics import collect_metrics, read_queue_data
from tools.reference.markdown import table

HEAD = """# Metrics

`GET /metrics` returns the Prometheus text format. If `DOCYARD_METRICS_TOKEN` is set, every request must
contain it as a bearer token. Otherwise only direct requests from the same host are answered, not requests
forwarded by a proxy.

Counters are exact. Depth, dead letters, stuck documents, recovery, completion times and dead tuples come
from the latest sample, which a worker takes every 15 seconds; `docyard_sample_age_seconds` is its age. The
cost of a scrape therefore does not depend on the backlog.
"""


def render(conn: Connection) -> str:
    """Return the page."""
    return HEAD + table(["metric", "type", "labels", "meaning"], map(_row, collect_metrics(read_queue_data(conn))))


def _row(metric: Metric) -> tuple[str, str, str, str]:
    labels = (*metric.labels, "le") if metric.kind == "histogram" else metric.labels
    return f"`{metric.name}`", metric.kind, ", ".join(f"`{name}`" for name in labels), metric.help
