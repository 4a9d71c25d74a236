"""`make eval CORPUS=folder`: what becomes of every file of a folder, how fast, and how right."""

from __future__ import annotations

import sys
from pathlib import Path

from eval import scans, search
from eval.chart import chart
from eval.corpus import samples
from eval.measuring import Run, measure
from eval.quality_page import ROOT, put
from eval.receipts import beside_tesseract
from eval.structure import structure_agreement
from eval.tables import (
    endings,
    hostile,
    per_page,
    read_share,
    speed,
    stage_seconds,
    text_agreement,
)

_PICTURE = ROOT / "docs" / "pictures" / "stage-time.svg"


def main() -> None:
    """Process everything and write the sections of docs/quality.md."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Name a folder: make eval CORPUS=folder")
    run = measure(samples(Path(sys.argv[1])))
    for name, title, body in [*_sections(run), ("search", "Search", _search(Path(sys.argv[1])))]:
        if body.strip():
            put(name, title, body)
            print(f"\n{title}\n\n{body}")
    _PICTURE.write_text(chart(stage_seconds(run)))


def _sections(run: Run) -> list[tuple[str, str, str]]:
    usable = f"Usable in the end: {read_share(run)} of {len(run.processed)} files.\n\n"
    picture = "\n\n![Share of time per stage](pictures/stage-time.svg)"
    return [
        ("files", "What becomes of the files", usable + endings(run)),
        ("hostile", "Files that do harm", hostile(run)),
        ("speed", "Speed and memory", speed(run) + picture),
        ("pages", "Cost of a page", per_page(run)),
        ("text", "Text against the truth", text_agreement(run)),
        ("structure", "Markdown against reference Markdown, beside markitdown", structure_agreement(run)),
        ("receipts", "Receipts beside tesseract", beside_tesseract(run)),
        ("scans", "Clean scans beside tesseract", scans.beside_tesseract(run)),
    ]


def _search(folder: Path) -> str:
    """How well passages are found again, where the folder has questions with their answers."""
    questions = next(folder.rglob("cran.qry"), None)
    return "\n".join(search.table(questions.parent)) if questions else ""


if __name__ == "__main__":
    main()
