"""`make eval CORPUS=folder`: what becomes of every file of a folder, how fast, and how right."""

from __future__ import annotations

import sys
from pathlib import Path

from eval import fields, resolution, resolution_cost, scans, search
from eval.chart import chart
from eval.corpus import samples
from eval.court import court_table
from eval.maintenance import orders_table
from eval.measurement import Run, measure
from eval.ner import names_table
from eval.quality_page import ROOT, put
from eval.receipts import beside_tesseract
from eval.rotated_receipts import turned_table
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
from eval.types import types

_PICTURE = ROOT / "docs" / "pictures" / "stage-time.svg"


def main() -> None:
    """Process everything and write the sections of docs/quality.md."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Name a folder: make eval CORPUS=folder")
    folder = Path(sys.argv[1])
    run = measure(samples(folder))
    for name, title, body in [*_sections(run), *_facts(run, folder), *_labelled(folder)]:
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
        ("turned", "Turned receipts beside tesseract", turned_table([sample for sample, _ in run.processed])),
        ("scans", "Clean scans beside tesseract", scans.beside_tesseract(run)),
        ("court", "Court documents: citations, docket numbers, dates", court_table(run)),
    ]


def _labelled(folder: Path) -> list[tuple[str, str, str]]:
    """What labelled texts and questions of the folder say, where it has them."""
    names, orders = (
        next(folder.rglob("wikigold.conll.txt"), None),
        next(folder.rglob("maintie_gold.json"), None),
    )
    return [
        (
            "names",
            "People, organisations, places and law against labelled texts",
            names_table(names.parent) if names else "",
        ),
        ("maintenance", "Work orders", orders_table(orders) if orders else ""),
        ("search", "Search", _search(folder)),
        (*resolution.SECTION, resolution.table(folder)),
        *resolution_cost.sections(),
    ]


def _facts(run: Run, folder: Path) -> list[tuple[str, str, str]]:
    return [
        ("types", "Types of documents", types(run)),
        ("bills", "Fields of receipts and invoices", fields.bills(run)),
        ("electronic", "Electronic invoices", fields.electronic(run)),
        ("contracts", "Fields of contracts", fields.contracts(run, folder)),
        ("courts", "Case numbers and dates on court pages", fields.courts(run)),
    ]


def _search(folder: Path) -> str:
    """How well passages are found again, where the folder has questions with their answers."""
    questions = next(folder.rglob("cran.qry"), None)
    return "\n".join(search.table(questions.parent)) if questions else ""


if __name__ == "__main__":
    main()
