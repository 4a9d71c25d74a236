"""Classify: type, title, summary, date, language and tags of a document, as far as they are clear."""

from __future__ import annotations

from collections.abc import Iterable

from docyard.facts.describe.keywords import extract_keywords
from docyard.facts.describe.summary import summarise
from docyard.inference.language import detect_language
from docyard.model.document_types import WorkspaceTypes
from docyard.model.stage_values import Classification, ExtractedText, FetchedFile, Source
from docyard.model.stages import Stage, StageInput
from docyard.model.text.pages import Page

_SAMPLE_CHARS = 10_000
# In documents of these types, most sentences are standard phrases such as terms and thanks.
_TYPES_WITHOUT_SUMMARY = ("invoice", "receipt", "purchase_order", "spreadsheet", "bank_statement", "court_list")


def run(inputs: StageInput) -> Classification:
    """Return the type, title and other metadata of a document, found without a language model."""
    from docyard.facts.classify.decision import classify_type
    from docyard.facts.classify.document_date import choose_date
    from docyard.facts.classify.types import list_types
    from docyard.facts.describe.title import choose_title
    from docyard.facts.notation.evidence import read_conventions

    extracted, source = inputs.get(ExtractedText), inputs.get(Source)
    sample = _take_sample(extracted.pages)
    detected, kinds = detect_language(sample), list_types(inputs.get(WorkspaceTypes))
    verdict = classify_type(extracted.pages, inputs.get(FetchedFile).media_type, kinds)
    conventions = read_conventions(extracted.pages, detected, verdict.kind)
    title = choose_title(extracted.metadata_title, extracted.pages, sample, source.name, verdict.kind)
    return Classification(
        title,
        detected,
        verdict.kind,
        verdict.confidence,
        verdict.evidence,
        None if verdict.kind in _TYPES_WITHOUT_SUMMARY else summarise(extracted.pages, title),
        choose_date(verdict.kind, extracted.pages, conventions),
        extract_keywords(sample, title),
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
    inputs=(Source, FetchedFile, ExtractedText, WorkspaceTypes),
    output=Classification,
    run=run,
    label="Classify",
    activity="Finding title, type and language",
)
