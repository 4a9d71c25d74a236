"""`make eval CORPUS=folder`: outcome, speed and quality for all files of a folder."""

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
from eval.quality_page import ROOT, put_section
from eval.receipts import compare_with_tesseract
from eval.rotated_receipts import rotation_table
from eval.structure import structure_agreement
from eval.tables import hostile_files, outcomes, per_page, read_share, speed, stage_seconds, text_agreement
from eval.types import types

_CHART = ROOT / "docs" / "pictures" / "stage-time.svg"


def main() -> None:
    """Process all files and write the sections of docs/measurements/quality.md."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("Usage: make eval CORPUS=folder")
    folder = Path(sys.argv[1])
    run = measure(samples(folder))
    for name, title, body in [*_file_sections(run), *_fact_sections(run, folder), *_labelled_sections(folder)]:
        if body.strip():
            put_section(name, title, body)
            print(f"\n{title}\n\n{body}")
    _CHART.write_text(chart(stage_seconds(run)))


def _file_sections(run: Run) -> list[tuple[str, str, str]]:
    usable = f"Share of usable documents: {read_share(run)} of {len(run.processed)} files.\n\n"
    image = "\n\n![Share of time per stage](../pictures/stage-time.svg)"
    files = [sample for sample, _ in run.processed]
    return [
        ("files", "Outcome of the files", usable + outcomes(run)),
        ("hostile", "Hostile files", hostile_files(run)),
        ("speed", "Speed and memory", speed(run) + image),
        ("pages", "Cost of a page", per_page(run)),
        ("text", "Text compared with the ground truth", text_agreement(run)),
        (
            "structure",
            "Markdown compared with reference Markdown, with markitdown as baseline",
            structure_agreement(run),
        ),
        ("receipts", "Receipts compared with tesseract", compare_with_tesseract(run)),
        ("turned", "Rotated receipts compared with tesseract", rotation_table(files)),
        ("scans", "Clean scans compared with tesseract", scans.compare_with_tesseract(run)),
        ("court", "Court documents: citations, docket numbers, dates", court_table(run)),
    ]


def _labelled_sections(folder: Path) -> list[tuple[str, str, str]]:
    """Return the sections about labelled texts, queries and entity resolution."""
    names, orders = (next(folder.rglob("wikigold.conll.txt"), None), next(folder.rglob("maintie_gold.json"), None))
    return [
        (
            "names",
            "People, organisations, places and law in labelled texts",
            names_table(names.parent) if names else "",
        ),
        ("maintenance", "Work orders", orders_table(orders) if orders else ""),
        ("search", "Search", _search_table(folder)),
        (*resolution.SECTION, resolution.table(folder)),
        *resolution_cost.sections(),
    ]


def _fact_sections(run: Run, folder: Path) -> list[tuple[str, str, str]]:
    return [
        ("types", "Document types", types(run)),
        ("bills", "Fields of receipts and invoices", fields.bills(run)),
        ("electronic", "Electronic invoices", fields.electronic_invoices(run)),
        ("contracts", "Fields of contracts", fields.contracts(run, folder)),
        ("courts", "Docket numbers and dates of court pages", fields.courts(run)),
    ]


def _search_table(folder: Path) -> str:
    """Return the table of search quality if the folder contains the Cranfield collection."""
    questions = next(folder.rglob("cran.qry"), None)
    return "\n".join(search.table(questions.parent)) if questions else ""


if __name__ == "__main__":
    main()
