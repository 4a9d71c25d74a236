"""Tests of peer readers, which run in their own process and are restarted after a crash."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.peer import Peer
from eval.structure import Reading, make_figures
from tests.builders.office.packages import docx, paragraph
from tests.builders.pdf.pdfs import make_text_pdf


@pytest.fixture
def reader() -> Iterator[Peer]:
    with Peer("docyard") as started:
        yield started


def test_reader_returns_the_text_and_its_cost(reader: Peer, tmp_path: Path) -> None:
    paged, office = tmp_path / "a b\n.pdf", tmp_path / "c.docx"
    paged.write_bytes(make_text_pdf(["The harbour office"]))
    office.write_bytes(docx(paragraph("Opening hours")))
    for path, text in ((paged, "The harbour office"), (office, "Opening hours")):
        answer = reader.read(path)
        assert (answer.text.strip(), answer.error) == (text, "")
        assert answer.clock > 0 < answer.processor


def test_a_damaged_file_or_a_crash_affects_only_one_file(reader: Peer, tmp_path: Path) -> None:
    broken, sound = tmp_path / "broken.pdf", tmp_path / "sound.pdf"
    broken.write_bytes(b"%PDF-1.4\nnothing")
    sound.write_bytes(make_text_pdf(["still here"]))
    refused = reader.read(broken)
    assert refused.text == ""
    assert "damaged" in refused.error
    os.kill(reader._process.pid, signal.SIGKILL)
    assert reader.read(sound).error == "the reader stopped or did not answer"
    assert reader.read(sound).text.strip() == "still here"


def test_row_contains_words_headings_tables_and_time() -> None:
    true = "# Opening\n\nfrom nine\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    count, f1, headings, recall, precision, tables, cost = make_figures(
        [Reading(true, true, 10.0), Reading("# Opening\n\n# Nine\n\nfrom", true, 30.0)]
    )
    assert (count, headings, tables) == (2, 2, "1 / 2")
    assert [str(share).split()[0] for share in (recall, precision)] == ["1.000", "0.667"]
    assert 0.5 < float(str(f1).split()[0]) < 1
    assert str(cost).startswith("20.0 ")
