"""Tests of the evaluation of clean scans, which compares each page with the ground truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from docyard.pipeline.direct import FileResult
from eval import agreement, scans
from eval.corpus import Sample
from eval.measurement import Run
from tests.builders.images import LINES, draw_lines, encode_tiff
from tests.builders.stage_inputs import make_extracted, make_fetched

TRUE = "\n".join(LINES)


def test_compares_each_copy_of_a_page_with_the_true_text() -> None:
    copies = [TRUE, TRUE.replace("cash", "card")]
    assert agreement.page_error_rates(copies, TRUE) == [0.0, pytest.approx(2 / len("".join(TRUE.split())))]
    assert agreement.page_error_rates(list(LINES), TRUE) == [0.0]
    assert agreement.page_error_rates([], TRUE) == [1.0]


def test_normalises_typographic_characters() -> None:
    assert agreement.normalise_typography("“It’s ﬁne” — 3–4") == '"It\'s fine" - 3-4'


def test_reads_and_scores_each_page_of_a_scan(tmp_path: Path) -> None:
    path, truth = tmp_path / "scan.tif", tmp_path / "scan.txt"
    path.write_bytes(encode_tiff(draw_lines(), draw_lines().rotate(180), Image.new("RGB", (300, 200), "white")))
    truth.write_text(TRUE)
    done = FileResult(path, (make_fetched("image/tiff"), make_extracted(TRUE, TRUE, "")), None)
    report = scans.compare_with_tesseract(Run([(Sample(path, "scan", "scans", (truth,)), done)]))
    ours = next(line for line in report.splitlines() if line.startswith("| Docyard | 3 |"))
    assert "| 0.333 [0.000, 1.000] |" in ours
    assert scans.compare_with_tesseract(Run([(Sample(path, "photo", "x", (truth,)), done)])) == ""
