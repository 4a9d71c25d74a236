"""The tables of a run, as Markdown."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from docyard.model.text.markdown import document_markdown
from docyard.model.values import Extracted, Fetched
from docyard.pipeline.direct import Processed
from eval import agreement
from eval.corpus import Sample
from eval.intervals import Estimate, mean, share
from eval.measurement import Run
from eval.truth import true_text

_MEGABYTE = 1024 * 1024
_HOSTILE = ("hostile", "malformed", "encrypted")
_PAGE_GROUPS = ((1, 1), (2, 5), (6, 20), (21, 60), (61, 10_000))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows under their heads."""
    lines = [" | ".join(map(str, heads)), " | ".join(["---"] * len(heads))]
    lines += [" | ".join(str(cell).replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def pages_of(done: Processed) -> int:
    """How many pages were read."""
    return sum(len(value.pages) for value in done.values if isinstance(value, Extracted))


def texts_of(done: Processed) -> list[str]:
    """The text of each page."""
    return [page.text for value in done.values if isinstance(value, Extracted) for page in value.pages]


def text_of(done: Processed) -> str:
    """The whole text."""
    return "\n".join(texts_of(done))


def markdown_of(done: Processed) -> str:
    """The whole text with its structure."""
    pages = [page for value in done.values if isinstance(value, Extracted) for page in value.pages]
    return document_markdown(pages) if pages else ""


def _media_type(done: Processed) -> str:
    return next((value.media_type for value in done.values if isinstance(value, Fetched)), "not known")


def _ending(done: Processed) -> str:
    if done.failure is None:
        return "read" if text_of(done).strip() else "read, no text"
    return f"{done.failure.category}: {done.failure.message}"


def endings(run: Run) -> str:
    """What became of the files, by type."""
    counted = Counter((_media_type(done), _ending(done)) for _, done in run.processed)
    return table(
        ("type", "ending", "files"), ((kind, end, count) for (kind, end), count in sorted(counted.items()))
    )


def hostile(run: Run) -> str:
    """What became of files made or broken to do harm: no crash, no hang, a reason for each."""
    rows = []
    for name in _HOSTILE:
        chosen = [done for sample, done in run.processed if name in sample.folder]
        if chosen:
            bad = sum(1 for done in chosen if done.failure and done.failure.category in ("crash", "internal"))
            slowest = max(sum(seconds for _, seconds in done.seconds) for done in chosen)
            read = sum(1 for done in chosen if done.failure is None)
            rows.append((name, len(chosen), read, len(chosen) - read - bad, bad, f"{slowest:.1f}"))
    heads = ("files", "count", "read", "refused with a reason", "crashed the child", "slowest, s")
    return table(heads, rows)


def speed(run: Run) -> str:
    """How fast it went, and what it took."""
    pages = sum(pages_of(done) for _, done in run.processed)
    busy = sum(seconds for _, done in run.processed for _, seconds in done.seconds)
    return table(
        ("measure", "value"),
        (
            ("load average of the machine before the run", f"{run.load:.1f}"),
            ("files", len(run.processed)),
            ("pages", f"{pages:,}"),
            ("documents a minute, 2 processes", f"{len(run.processed) * 60 / run.seconds:,.0f}"),
            ("pages a minute", f"{pages * 60 / run.seconds:,.0f}"),
            ("share of the time both processes were busy", f"{busy / (2 * run.seconds):.0%}"),
            ("peak memory of the parent, MB", f"{run.memory.parent / _MEGABYTE:,.0f}"),
            ("peak memory of one child, MB", f"{run.memory.child / _MEGABYTE:,.0f}"),
            ("peak memory of all children, MB", f"{run.memory.children / _MEGABYTE:,.0f}"),
        ),
    )


def stage_seconds(run: Run) -> dict[str, float]:
    """Seconds by stage."""
    total: dict[str, float] = defaultdict(float)
    for _, done in run.processed:
        for stage, seconds in done.seconds:
            total[stage] += seconds
    return dict(total)


def per_page(run: Run) -> str:
    """What a page costs in short and in long PDF files; linear cost shows as equal figures."""
    rows = []
    for least, most in _PAGE_GROUPS:
        costs = [
            dict(done.seconds).get("extract", 0.0) * 1000 / pages_of(done)
            for _, done in run.processed
            if done.failure is None
            and _media_type(done) == "application/pdf"
            and least <= pages_of(done) <= most
        ]
        if costs:
            rows.append((f"{least}–{most}", len(costs), f"{sorted(costs)[len(costs) // 2]:.1f}", mean(costs)))
    return table(("pages of the PDF", "files", "median ms a page", "mean ms a page [95 %]"), rows)


def _with_truth(run: Run) -> Iterator[tuple[str, Processed, Sample, str]]:
    for sample, done in run.processed:
        true = true_text(sample)
        if true is not None:
            yield sample.folder, done, sample, true


def text_agreement(run: Run) -> str:
    """Words and letters against the true text; a file that was not read counts as empty."""
    by_folder: dict[str, list[tuple[agreement.Words, float, bool]]] = defaultdict(list)
    for folder, done, sample, true in _with_truth(run):
        found = text_of(done)
        scanned = sample.boxes_truth is not None or "scan" in folder
        errors = mean(agreement.errors_by_page(texts_of(done), true)).value if scanned else 0.0
        by_folder[folder].append((agreement.words(found, true), errors, scanned))
    rows = []
    for folder, found_here in sorted(by_folder.items()):
        recall = mean([each.recall for each, _, _ in found_here])
        precision = mean([each.precision for each, _, _ in found_here])
        letters = mean([errors for _, errors, scanned in found_here if scanned])
        rows.append((folder, len(found_here), recall, precision, letters))
    heads = ("folder", "files", "word recall [95 %]", "word precision [95 %]", "letter errors [95 %]")
    return table(heads, rows)


def read_share(run: Run) -> Estimate:
    """The share of files that ended usable."""
    return share(sum(1 for _, done in run.processed if not done.failed), len(run.processed))
