"""Markdown of Docyard and of markitdown, compared with reference Markdown, which is also machine-generated.

The readers alternate for every file. Each runs in its own process, which reports its CPU time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.peer import Peer, start_peers
from docyard.pipeline.direct import FileResult
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean, share
from eval.measurement import Run
from eval.quality_page import ROOT
from eval.tables import render_markdown, table
from eval.truth import true_text

ROUNDS = 3
_NAMES = {"docyard": "Docyard"}
_HEADS = (
    "folder",
    "reader",
    "files",
    "word agreement (F1) [95 %]",
    "headings",
    "heading recall [95 %]",
    "heading precision [95 %]",
    "tables found / true",
    "CPU ms per file [95 %]",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The Markdown that a reader produced for a file, the reference, and the CPU milliseconds used."""

    found: str
    true: str
    milliseconds: float


def structure_agreement(run: Run) -> str:
    """Return a table of words, headings and tables for each folder and reader."""
    by_folder: dict[str, list[tuple[Sample, FileResult]]] = defaultdict(list)
    for sample, done in run.processed:
        if sample.text_truth is not None and sample.text_truth.suffix == ".md":
            by_folder[sample.folder].append((sample, done))
    rows = []
    for folder, cases in sorted(by_folder.items()):
        with ExitStack() as stack:
            readers = [*start_peers(["docyard"]), *start_peers(["markitdown"], ROOT / "eval")]
            read = read_all([stack.enter_context(each) for each in readers], cases)
        rows += [(folder, _NAMES.get(name, name), *make_figures(found)) for name, found in read.items()]
    return table(_HEADS, rows) if rows else ""


def read_all(readers: Sequence[Peer], cases: Sequence[tuple[Sample, FileResult]]) -> dict[str, list[Reading]]:
    """Read every file with every reader; Docyard's text is taken from the run, which includes OCR."""
    for reader in readers:  # loads libraries before the measurement
        reader.read(cases[0][0].path)
    found: dict[str, list[Reading]] = {reader.name: [] for reader in readers}
    for sample, done in cases:
        for name, (text, milliseconds) in _read_in_turns(readers, sample.path).items():
            markdown = render_markdown(done) if name == "docyard" else text
            found[name].append(Reading(markdown, true_text(sample) or "", milliseconds))
    return found


def _read_in_turns(readers: Sequence[Peer], path: Path) -> dict[str, tuple[str, float]]:
    """Return the text and the mean milliseconds of each reader."""
    answers = [(reader.name, reader.read(path)) for _ in range(ROUNDS) for reader in readers]
    for name, error in sorted({(name, answer.error) for name, answer in answers if answer.error}):
        print(f"{name}: {path.name}: {error}")
    spent = {name: [each.processor for other, each in answers if other == name] for name in dict(answers)}
    return {name: (answer.text, 1000 * sum(spent[name]) / ROUNDS) for name, answer in answers}


def make_figures(found: Sequence[Reading]) -> tuple[object, ...]:
    """Return the values of a row of the table."""
    f1 = mean([agreement.compare_words(each.found, each.true).f1 for each in found])
    counts = [agreement.compare_headings(each.found, each.true) for each in found]
    same, ours, true = (sum(each[column] for each in counts) for column in range(3))
    tables = f"{sum(agreement.count_tables(each.found) for each in found)} / "
    tables += str(sum(agreement.count_tables(each.true) for each in found))
    spent = mean([each.milliseconds for each in found])
    cost = f"{spent.value:.1f} [{spent.low:.1f}, {spent.high:.1f}]"
    return len(found), f1, true, share(same, true), share(same, ours), tables, cost
