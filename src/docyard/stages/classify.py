"""Classify: type, title, summary, date, language and tags of a document, as far as they are clear."""

from __future__ import annotations

from collections.abc import Iterable

from docyard.facts.describe.key_words import key_words
from docyard.facts.describe.summary import summary_of
from docyard.inference.language import language
from docyard.model.document_types import KnownTypes
from docyard.model.stages import Given, Stage
from docyard.model.text.pages import Page
from docyard.model.values import Classified, Extracted, Fetched, Source

_SAMPLE_CHARS = 10_000
# The sentences in documents of these types are terms and thanks, which are alike in all of them.
_TYPES_WITHOUT_SUMMARY = (
    "invoice",
    "receipt",
    "purchase_order",
    "spreadsheet",
    "bank_statement",
    "court_list",
)


def run(given: Given) -> Classified:
    """Take the title from the metadata if a person set it, and everything else from the text."""
    from docyard.facts.classify.decision import type_of
    from docyard.facts.classify.document_date import date_of
    from docyard.facts.classify.types import types_of
    from docyard.facts.describe.title import title_of
    from docyard.facts.notation.evidence import read_conventions

    extracted, source = given.the(Extracted), given.the(Source)
    sample = _take_sample(extracted.pages)
    detected, kinds = language(sample), types_of(given.the(KnownTypes))
    verdict = type_of(extracted.pages, given.the(Fetched).media_type, kinds)
    conventions = read_conventions(extracted.pages, detected, verdict.kind)
    title = title_of(extracted.metadata_title, extracted.pages, sample, source.name, verdict.kind)
    return Classified(
        title,
        detected,
        verdict.kind,
        verdict.confidence,
        verdict.evidence,
        None if verdict.kind in _TYPES_WITHOUT_SUMMARY else summary_of(extracted.pages, title),
        date_of(verdict.kind, extracted.pages, conventions),
        key_words(sample, title),
    )


def _take_sample(pages: Iterable[Page]) -> str:
    """Return the beginning of the text."""
    texts: list[str] = []
    remaining = _SAMPLE_CHARS
    for page in pages:
        texts.append(page.text[:remaining])
        remaining -= len(texts[-1])
        if remaining <= 0:
            break
    return "\n".join(texts)


STAGE = Stage(
    name="classify",
    version=5,
    resource="cpu",
    needs=(Source, Fetched, Extracted, KnownTypes),
    gives=Classified,
    run=run,
    label="Classify",
    activity="Finding title, type and language",
)
