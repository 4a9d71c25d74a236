"""Ground truth of a sample: its text, and its document type according to its kind in the manifest."""

from __future__ import annotations

import csv
from pathlib import Path

from eval.corpus import Sample

_BY_KIND = {
    **dict.fromkeys(("receipt-scan", "heic-derived"), ("receipt",)),
    **dict.fromkeys(("msg", "mbox"), ("email",)),
    **dict.fromkeys(("manual-pdf", "build-manual-md", "build-manual-pdf"), ("manual",)),
    **dict.fromkeys(("pptx", "ppt", "odp"), ("presentation",)),
    **dict.fromkeys(("xls", "xlsx", "ods"), ("spreadsheet",)),
    "court-html": ("court_list",),
}
# The kinds do not distinguish court opinions from filings, so both types are correct.
_BY_PREFIX = {
    "invoice-": ("invoice",),
    "contract-": ("contract",),
    "eml": ("email",),
    "court-": ("court_opinion", "filing"),
}


def true_text(sample: Sample) -> str | None:
    """Return the true text of a sample, or None if there is none."""
    if sample.boxes_truth is not None:
        return _join_boxes(sample.boxes_truth)
    if sample.text_truth is not None:
        return sample.text_truth.read_text(errors="replace")
    return None


def true_types(sample: Sample) -> tuple[str, ...]:
    """Return the correct types of a sample; empty if its kind does not determine the type."""
    if sample.kind in _BY_KIND:
        return _BY_KIND[sample.kind]
    return next((kinds for start, kinds in _BY_PREFIX.items() if sample.kind.startswith(start)), ())


def _join_boxes(path: Path) -> str:
    """Return the texts of the boxes in a file as lines from top to bottom; boxes need not be in order."""
    boxes = []
    for row in csv.reader(path.read_text(errors="replace").splitlines(), quoting=csv.QUOTE_NONE):
        if len(row) < 9:
            continue
        edges = [float(edge) for edge in row[:8]]
        boxes.append((min(edges[1::2]), max(edges[1::2]), min(edges[::2]), ",".join(row[8:])))
    rows: list[list[tuple[float, float, float, str]]] = []
    for box in sorted(boxes):
        middle = (box[0] + box[1]) / 2
        if rows and middle < rows[-1][0][1] and middle > rows[-1][0][0]:
            rows[-1].append(box)
        else:
            rows.append([box])
    return "\n".join(" ".join(box[3] for box in sorted(row, key=lambda each: each[2])) for row in rows)
