"""The true text of a sample, and what its folder says that it is."""

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
# Of court documents the folder does not tell decisions from papers that parties filed.
_BY_BEGINNING = {
    "invoice-": ("invoice",),
    "contract-": ("contract",),
    "eml": ("email",),
    "court-": ("court_opinion", "filing"),
}


def true_text(sample: Sample) -> str | None:
    """What a person reads in it; None where nobody wrote that down."""
    if sample.boxes_truth is not None:
        return _in_rows(sample.boxes_truth)
    if sample.text_truth is not None:
        return sample.text_truth.read_text(errors="replace")
    return None


def true_types(sample: Sample) -> tuple[str, ...]:
    """The types that are right for it; none where its folder does not tell."""
    if sample.kind in _BY_KIND:
        return _BY_KIND[sample.kind]
    return next((kinds for start, kinds in _BY_BEGINNING.items() if sample.kind.startswith(start)), ())


def _in_rows(path: Path) -> str:
    """Boxes as lines from top to bottom; the file has them in no order."""
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
