"""Our Markdown and markitdown's against reference Markdown, which is itself a machine's.

Both readers take turns at every file, each in a process of its own that says what the processor did for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.peer import Peer, peers
from docyard.pipeline.direct import Processed
from eval import agreement
from eval.corpus import Sample
from eval.intervals import mean, share
from eval.measurement import Run
from eval.quality_page import ROOT
from eval.tables import markdown_of, table
from eval.truth import true_text

ROUNDS = 3
_NAMES = {"docyard": "Docyard"}
_HEADS = (
    "folder",
    "reader",
    "files",
    "word agreement (F1) [95 %]",
    "headings",
    "of them found",
    "of its own true",
    "tables found / there",
    "CPU ms a file [95 %]",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a file, what is true of it, and the milliseconds of the processor it took."""

    found: str
    true: str
    milliseconds: float


def structure_agreement(run: Run) -> str:
    """Words, headings and tables of both readers, folder by folder."""
    by_folder: dict[str, list[tuple[Sample, Processed]]] = defaultdict(list)
    for sample, done in run.processed:
        if sample.text_truth is not None and sample.text_truth.suffix == ".md":
            by_folder[sample.folder].append((sample, done))
    rows = []
    for folder, cases in sorted(by_folder.items()):
        with ExitStack() as stack:
            readers = [*peers(["docyard"]), *peers(["markitdown"], ROOT / "eval")]
            read = readings([stack.enter_context(each) for each in readers], cases)
        rows += [(folder, _NAMES.get(name, name), *figures(found)) for name, found in read.items()]
    return table(_HEADS, rows) if rows else ""


def readings(readers: Sequence[Peer], cases: Sequence[tuple[Sample, Processed]]) -> dict[str, list[Reading]]:
    """Every file by every reader; the words of ours are those of the run, which has read its scans too."""
    for reader in readers:  # what is loaded once must not count for the first file
        reader.read(cases[0][0].path)
    found: dict[str, list[Reading]] = {reader.name: [] for reader in readers}
    for sample, done in cases:
        for name, (text, milliseconds) in _turns(readers, sample.path).items():
            words = markdown_of(done) if name == "docyard" else text
            found[name].append(Reading(words, true_text(sample) or "", milliseconds))
    return found


def _turns(readers: Sequence[Peer], path: Path) -> dict[str, tuple[str, float]]:
    """The text and the mean of the milliseconds of each reader."""
    answers = [(reader.name, reader.read(path)) for _ in range(ROUNDS) for reader in readers]
    for name, error in sorted({(name, answer.error) for name, answer in answers if answer.error}):
        print(f"{name}: {path.name}: {error}")
    spent = {name: [each.processor for other, each in answers if other == name] for name in dict(answers)}
    return {name: (answer.text, 1000 * sum(spent[name]) / ROUNDS) for name, answer in answers}


def figures(found: Sequence[Reading]) -> tuple[object, ...]:
    """What a row of the table says."""
    both = mean([agreement.words(each.found, each.true).both for each in found])
    counted = [agreement.headings(each.found, each.true) for each in found]
    same, ours, there = (sum(each[at] for each in counted) for at in range(3))
    tables = f"{sum(agreement.tables(each.found) for each in found)} / "
    tables += str(sum(agreement.tables(each.true) for each in found))
    spent = mean([each.milliseconds for each in found])
    cost = f"{spent.value:.1f} [{spent.low:.1f}, {spent.high:.1f}]"
    return len(found), both, there, share(same, there), share(same, ours), tables, cost
