"""Markdown tables of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from docyard.model.stage_values import ExtractedText, FetchedFile
from docyard.model.text.markdown import document_markdown
from docyard.pipeline.direct import FileResult
from eval import agreement
from eval.corpus import Sample
from eval.intervals import Estimate, mean, share
from eval.measurement import Run
from eval.truth import true_text

_MEGABYTE = 1024 * 1024
_HOSTILE = ("hostile", "malformed", "encrypted")
_PAGE_GROUPS = ((1, 1), (2, 5), (6, 20), (21, 60), (61, 10_000))


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [" | ".join(map(str, heads)), " | ".join(["---"] * len(heads))]
    lines += [" | ".join(str(cell).replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def count_pages(done: FileResult) -> int:
    """Return the number of pages read."""
    return sum(len(value.pages) for value in done.values if isinstance(value, ExtractedText))


def page_texts(done: FileResult) -> list[str]:
    """Return the text of each page."""
    return [page.text for value in done.values if isinstance(value, ExtractedText) for page in value.pages]


def full_text(done: FileResult) -> str:
    """Return the text of all pages."""
    return "\n".join(page_texts(done))


def render_markdown(done: FileResult) -> str:
    """Return the text of all pages as Markdown."""
    pages = [page for value in done.values if isinstance(value, ExtractedText) for page in value.pages]
    return document_markdown(pages) if pages else ""


def _media_type(done: FileResult) -> str:
    return next((value.media_type for value in done.values if isinstance(value, FetchedFile)), "unknown")


def _outcome(done: FileResult) -> str:
    if done.failure is None:
        return "read" if full_text(done).strip() else "read, no text"
    return f"{done.failure.category}: {done.failure.message}"


def outcomes(run: Run) -> str:
    """Return a table of the number of files by media type and outcome."""
    counted = Counter((_media_type(done), _outcome(done)) for _, done in run.processed)
    return table(("type", "outcome", "files"), ((kind, end, count) for (kind, end), count in sorted(counted.items())))


def hostile_files(run: Run) -> str:
    """Return a table of the outcomes of hostile, malformed and encrypted files."""
    rows = []
    for name in _HOSTILE:
        chosen = [done for sample, done in run.processed if name in sample.folder]
        if chosen:
            crashed = sum(1 for done in chosen if done.failure and done.failure.category in ("crash", "internal"))
            slowest = max(sum(seconds for _, seconds in done.seconds) for done in chosen)
            read = sum(1 for done in chosen if done.failure is None)
            refused = len(chosen) - read - crashed
            rows.append((name, len(chosen), read, refused, crashed, f"{slowest:.1f}"))
    heads = ("files", "count", "read", "refused with a reason", "crash or internal error", "slowest, s")
    return table(heads, rows)


def speed(run: Run) -> str:
    """Return a table of throughput and memory."""
    pages = sum(count_pages(done) for _, done in run.processed)
    busy = sum(seconds for _, done in run.processed for _, seconds in done.seconds)
    return table(
        ("measure", "value"),
        (
            ("load average of the machine before the run", f"{run.load:.1f}"),
            ("files", len(run.processed)),
            ("pages", f"{pages:,}"),
            ("documents per minute, 2 processes", f"{len(run.processed) * 60 / run.seconds:,.0f}"),
            ("pages per minute", f"{pages * 60 / run.seconds:,.0f}"),
            ("utilisation of both processes", f"{busy / (2 * run.seconds):.0%}"),
            ("peak memory of the parent, MB", f"{run.memory.parent / _MEGABYTE:,.0f}"),
            ("peak memory of one child, MB", f"{run.memory.child / _MEGABYTE:,.0f}"),
            ("peak memory of all children, MB", f"{run.memory.children / _MEGABYTE:,.0f}"),
        ),
    )


def stage_seconds(run: Run) -> dict[str, float]:
    """Return the total seconds of each stage."""
    total: dict[str, float] = defaultdict(float)
    for _, done in run.processed:
        for stage, seconds in done.seconds:
            total[stage] += seconds
    return dict(total)


def per_page(run: Run) -> str:
    """Return a table of the extraction time per page by length of the PDF; equal times mean linear cost."""
    rows = []
    for low, high in _PAGE_GROUPS:
        costs = [
            dict(done.seconds).get("extract", 0.0) * 1000 / count_pages(done)
            for _, done in run.processed
            if done.failure is None and _media_type(done) == "application/pdf" and low <= count_pages(done) <= high
        ]
        if costs:
            rows.append((f"{low}–{high}", len(costs), f"{sorted(costs)[len(costs) // 2]:.1f}", mean(costs)))
    return table(("pages of the PDF", "files", "median ms per page", "mean ms per page [95 %]"), rows)


def _with_truth(run: Run) -> Iterator[tuple[str, FileResult, Sample, str]]:
    for sample, done in run.processed:
        true = true_text(sample)
        if true is not None:
            yield sample.folder, done, sample, true


def text_agreement(run: Run) -> str:
    """Return a table of agreement with the true text; files that were not read count as empty."""
    by_folder: dict[str, list[tuple[agreement.Words, float, bool]]] = defaultdict(list)
    for folder, done, sample, true in _with_truth(run):
        found = full_text(done)
        scanned = sample.boxes_truth is not None or "scan" in folder
        errors = mean(agreement.page_error_rates(page_texts(done), true)).value if scanned else 0.0
        by_folder[folder].append((agreement.compare_words(found, true), errors, scanned))
    rows = []
    for folder, results in sorted(by_folder.items()):
        recall = mean([each.recall for each, _, _ in results])
        precision = mean([each.precision for each, _, _ in results])
        error_rate = mean([errors for _, errors, scanned in results if scanned])
        rows.append((folder, len(results), recall, precision, error_rate))
    heads = (
        *("folder", "files", "word recall [95 %]", "word precision [95 %]"),
        "character error rate of scans [95 %]",
    )
    return table(heads, rows)


def read_share(run: Run) -> Estimate:
    """Return the share of files that became usable documents."""
    return share(sum(1 for _, done in run.processed if not done.failed), len(run.processed))
