"""Fields of receipts, invoices, contracts and court pages, compared with the ground truth and a baseline."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from docyard.facts.fields import read_fields
from docyard.facts.notation.evidence import read_conventions
from docyard.model.facts import FieldValue
from docyard.model.limits import Limits
from docyard.model.stage_values import Classification, DocumentFields, ExtractedText
from docyard.model.stages import StageInput
from docyard.pipeline.direct import FileResult
from docyard.stages import fields
from eval import field_truths as truths
from eval.baselines import plain_bill, plain_contract, plain_court
from eval.calibration import calibration
from eval.corpus import Sample
from eval.intervals import share
from eval.measurement import Run
from eval.tables import full_text, table

_MIN_NAME_RATIO = 0.9
_LEGAL_FORMS = (
    *("incorporated", "limited", "private", "gmbh", "sarl", "sdnbhd", "inc", "llc", "ltd", "pvt", "bhd"),
    *("sdn", "ag", "bv", "sb"),
)
_RESAMPLES = 1000
_BILLS = ("receipt-scan", "invoice-pdf", "invoice-image")

Pairs = list[tuple[Sample, FileResult]]
Counts = tuple[int, int, int]  # correct, found, true


def bills(run: Run) -> str:
    """Return an accuracy table for receipts (by halves) and invoices without XML, and a calibration table."""
    receipts = _choose(run, lambda sample: sample.kind == "receipt-scan")
    invoices = _choose(run, lambda sample: sample.kind in ("invoice-pdf", "invoice-image"))
    rows = []
    for half, part in _halves(receipts) if receipts else []:
        rows += _make_bill_rows(f"receipts, {half}", part)
    rows += _make_bill_rows("invoices without XML", invoices)
    heads = ("documents", "field", "count", "correct [95 %]", "simple patterns [95 %]")
    return "\n\n".join([table(heads, rows), _HALVES, _calibration(run)]) if rows else ""


_HALVES = (
    "The rules were developed on half A. At first, only the counts of half B were inspected, several times."
    " At that point, seller, date and total were each correct in 24 of 27 receipts, and contracts had an F1"
    " of .76 for parties, 7 of 9 effective dates and 9 of 13 laws. The annotations of all contracts were"
    " known from the beginning. Later the errors in half B were inspected too, and causes that affect other"
    " documents were fixed. Therefore neither half is held out."
)


def _make_bill_rows(name: str, pairs: Pairs) -> list[tuple[object, ...]]:
    ours: dict[str, list[bool]] = {}
    baseline: dict[str, list[bool]] = {}
    for sample, done in pairs:
        truth = _bill_truth(sample)
        found = first_values(_run_stage(done, _kind(sample)).fields)
        simple = plain_bill(full_text(done))
        for field, true in truth.items():
            ours.setdefault(field, []).append(_same(field, found.get(field, ""), true))
            baseline.setdefault(field, []).append(_same(field, simple.get(field, ""), true))
    return [
        (name, field, len(hits), share(sum(hits), len(hits)), share(sum(baseline[field]), len(hits)))
        for field, hits in ours.items()
    ]


def _kind(sample: Sample) -> str | None:
    return "receipt" if sample.kind == "receipt-scan" else None


def _calibration(run: Run) -> str:
    judged: list[tuple[float, bool]] = []
    for sample, done in _choose(run, lambda sample: sample.kind in _BILLS):
        truth = _bill_truth(sample)
        firsts = {each.name: each for each in reversed(_run_stage(done, _kind(sample)).fields)}
        judged += [
            (field.confidence, _same(name, field.normal, truth[name]))
            for name, field in firsts.items()
            if name in truth
        ]
    return calibration("a field of a receipt or invoice", judged)


def _bill_truth(sample: Sample) -> dict[str, str]:
    if sample.kind == "receipt-scan":
        return truths.receipt_truth(sample)
    return truths.invoice_truth(sample.truths[0])


def electronic_invoices(run: Run) -> str:
    """Return a table of accuracy for invoices with XML, and the reasons for not using invalid XML."""
    valid = _choose(run, lambda sample: sample.kind == "invoice-pdf-embedded-xml")
    invalid = _choose(run, lambda sample: sample.kind == "invoice-pdf-invalid-xml")
    if not valid:
        return ""
    rows = [("valid XML, read normally", len(valid), *_count_equal(valid, _run_stage))]
    rows.append(("valid XML, read from the pages alone", len(valid), *_count_equal(valid, _read_pages)))
    rows.append(("invalid XML, read from the pages", len(invalid), *_count_equal(invalid, _run_stage)))
    reasons = [f"- {note}" for _, done in invalid for note in _run_stage(done, None).notes]
    explained = sum(bool(_run_stage(done, None).notes) for _, done in invalid)
    note = f"\n\nOf {len(invalid)} invoices with invalid XML, {explained} have a note with the reason:\n\n" + "\n".join(
        sorted(set(reasons))
    )
    return table(("invoices", "files", "fields", "equal to the XML [95 %]"), rows) + note


def _count_equal(pairs: Pairs, read: Callable[[FileResult, str | None], DocumentFields]) -> tuple[int, object]:
    hits: list[bool] = []
    for sample, done in pairs:
        found = first_values(read(done, "invoice").fields)
        truth = truths.xml_truth(sample.truths[0])
        hits += [_same(name, found.get(name, ""), true) for name, true in truth.items()]
    return len(hits), share(sum(hits), len(hits))


def contracts(run: Run, folder: Path) -> str:
    """Return a table with precision, recall and F1 of parties, and the accuracy of dates and laws."""
    known = truths.contract_truths(folder)
    pairs = _choose(run, lambda s: s.kind.startswith("contract-") and truths.normalise_text(s.path.name) in known)
    rows: list[tuple[object, ...]] = []
    for half, part in [*_halves(pairs), ("all", pairs)] if pairs else []:
        true = [known[truths.normalise_text(sample.path.name)] for sample, _ in part]
        ours = [_group_values(_run_stage(done, "contract")) for _, done in part]
        plain = [plain_contract(full_text(done)) for _, done in part]
        rows.append(
            (half, "parties (P / R / F1)", len(part), _measure_parties(ours, true), _measure_parties(plain, true))
        )
        for field in ("effective_date", "expiration_date", "governing_law"):
            pairs_of_ours = [(found, each) for found, each in zip(ours, true, strict=True) if each[field]]
            simple = [(found, each) for found, each in zip(plain, true, strict=True) if each[field]]
            accuracies = (_accuracy(pairs_of_ours, field), _accuracy(simple, field))
            rows.append((half, field, len(pairs_of_ours), *accuracies))
    heads = ("contracts", "field", "count", "Docyard [95 %]", "simple patterns [95 %]")
    return f"{table(heads, rows)}\n\n{_HALVES}" if rows else ""


def _measure_parties(found: Sequence[dict[str, list[str]]], true: Sequence[dict[str, list[str]]]) -> str:
    counts = [_count_parties(ours.get("party", []), theirs["party"]) for ours, theirs in zip(found, true, strict=True)]
    generator = random.Random(len(counts))  # noqa: S311 (not for security)
    scores = sorted(_f1(generator.choices(counts, k=len(counts)))[2] for _ in range(_RESAMPLES))
    precision, recall, f1 = _f1(counts)
    interval = f"[{scores[int(0.025 * _RESAMPLES)]:.3f}, {scores[int(0.975 * _RESAMPLES)]:.3f}]"
    return f"{precision:.3f} / {recall:.3f} / {f1:.3f} {interval}"


def _count_parties(found: Sequence[str], true: Sequence[str]) -> Counts:
    correct = sum(any(_same_party(name, each) for name in found) for each in true)
    wrong = sum(not any(_same_party(name, each) for each in true) for name in found)
    return correct, correct + wrong, len(true)


def _f1(counts: Iterable[Counts]) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    correct, found, true = (sum(column) for column in zip(*counts, strict=True))
    precision, recall = correct / max(found, 1), correct / max(true, 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def _accuracy(pairs: Sequence[tuple[dict[str, list[str]], dict[str, list[str]]]], field: str) -> object:
    hits = [_agrees(field, found.get(field, [])[:1], true[field]) for found, true in pairs]
    return share(sum(hits), len(hits))


def _agrees(field: str, found: Sequence[str], true: Sequence[str]) -> bool:
    if field.endswith("_date"):
        return list(found) == list(true)
    expected = "".join(map(truths.normalise_text, true))
    return bool(found) and bool(truths.normalise_text(found[0])) and truths.normalise_text(found[0]) in expected


def courts(run: Run) -> str:
    """Return a table with recall and precision of docket numbers and dates on court pages, by halves."""
    pairs = _choose(run, lambda sample: sample.kind == "court-html" and bool(sample.truths))
    rows = []
    for half, part in _halves(pairs) if pairs else []:
        for field in ("docket", "date"):
            ours = [_count_sets(_find_listed(done, field), truths.court_truth(s)[field]) for s, done in part]
            plain = [_count_sets(plain_court(full_text(done))[field], truths.court_truth(s)[field]) for s, done in part]
            rows.append(
                (
                    half,
                    field,
                    len(part),
                    sum(true for _, _, true in ours),
                    *_recall_and_precision(ours),
                    *_recall_and_precision(plain),
                )
            )
    heads = (
        "pages",
        "field",
        "files",
        "true values",
        "recall [95 %]",
        "precision [95 %]",
        "simple patterns: recall",
        "simple patterns: precision",
    )
    return table(heads, rows) if rows else ""


def _find_listed(done: FileResult, field: str) -> set[str]:
    return {each.normal for each in _run_stage(done, "court_list").fields if each.name == field}


def _count_sets(found: set[str], true: set[str]) -> Counts:
    return len(found & true), len(found), len(true)


def _recall_and_precision(counts: Sequence[Counts]) -> tuple[object, object]:
    correct, found, true = (sum(column) for column in zip(*counts, strict=True))
    return share(correct, true), share(correct, found)


def _choose(run: Run, wanted: Callable[[Sample], bool]) -> Pairs:
    read = [
        (sample, done)
        for sample, done in run.processed
        if wanted(sample) and any(isinstance(value, ExtractedText) for value in done.values)
    ]
    return sorted(read, key=lambda pair: pair[0].path.name)


def _halves(pairs: Pairs) -> list[tuple[str, Pairs]]:
    """Assign the samples alternately to two halves by file stem; files with the same stem stay together."""
    stems = sorted({sample.path.stem for sample, _ in pairs})
    first = set(stems[::2])
    halves = [("half A", [pair for pair in pairs if pair[0].path.stem in first])]
    return [*halves, ("half B", [pair for pair in pairs if pair[0].path.stem not in first])]


def _run_stage(done: FileResult, kind: str | None) -> DocumentFields:
    """Run the stage `fields` on a processed file as this document type, or as its classified type if None."""
    values = [value for value in done.values if not isinstance(value, Classification)]
    classified = next((value for value in done.values if isinstance(value, Classification)), Classification(None, None))
    typed = Classification(classified.title, classified.language, kind or classified.type)
    return fields.run(StageInput([*values, typed], Limits()))


def _read_pages(done: FileResult, kind: str | None) -> DocumentFields:
    pages = next(value.pages for value in done.values if isinstance(value, ExtractedText))
    language = next((value.language for value in done.values if isinstance(value, Classification)), None)
    return DocumentFields(read_fields(kind, pages, read_conventions(pages, language, kind)))


def _group_values(fielded: DocumentFields) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for field in fielded.fields:
        found.setdefault(field.name, []).append(field.normal)
    return found


def first_values(found: Sequence[FieldValue]) -> dict[str, str]:
    """Return the normal form of the first value of each field."""
    return {field.name: field.normal for field in reversed(found)}


def _same(field: str, found: str, true: str) -> bool:
    return _same_name(found, true) if field in ("seller", "buyer") else found == true and bool(found)


def _same_name(found: str, true: str) -> bool:
    """Return whether names without legal forms are at least 90 % similar; ground truths contain typos."""
    ours, theirs = _strip_legal_forms(found), _strip_legal_forms(true)
    return bool(ours) and SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _MIN_NAME_RATIO


def _strip_legal_forms(name: str) -> str:
    normal = truths.normalise_text(name)
    for form in _LEGAL_FORMS:
        normal = normal.removesuffix(form)
    return normal


def _same_party(found: str, true: str) -> bool:
    """Return whether names are 90 % similar or one contains the other, as with 'd/b/a'."""
    ours, theirs = truths.normalise_text(found), truths.normalise_text(true)
    inside = len(ours) > 3 and (ours in theirs or theirs in ours)
    return inside or SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _MIN_NAME_RATIO
