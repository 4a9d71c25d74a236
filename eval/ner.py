"""People, organisations, places and law found in labelled texts, with a spaCy model as baseline."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from docyard.facts.entities.recognition import find_mentions
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.evidence import read_conventions
from docyard.model.text.pages import Page
from eval.ner_sets import EMERGING, GENERAL, GERMAN_LAW, Labelled, read
from eval.spacy_names import spacy_spans
from eval.spans import Spans, agreement
from eval.tables import table

# The tagger was trained on the other folds; see training/entities.
FOLDS, HELD_OUT = 3, 1
_SETS: tuple[tuple[str, str, Mapping[str, str], bool, str], ...] = (
    ("wikigold", "wikigold.conll.txt", GENERAL, False, "en"),
    ("SEC filings", "sec_FIN5.conll", GENERAL, False, "en"),
    ("emerging", "emerging.dev.conll", EMERGING, True, "en"),
    ("German law", "ler_dev.conll", GERMAN_LAW, True, "de"),
)
_KINDS = ("person", "organisation", "place", "court", "statute", "citation")
_PAGE_CHARACTERS = 3000
_ROLES = ("borrower", "lender")


def select_held_out(labelled: Sequence[Labelled]) -> list[Labelled]:
    """Return the documents that the tagger was not trained on."""
    return [each for number, each in enumerate(labelled) if number % FOLDS == HELD_OUT]


def drop_roles(labelled: Labelled) -> Labelled:
    """Return the text without the roles of contract parties, which the set of SEC filings labels as people."""
    kept = (each for each in labelled.truth if labelled.text[each[1] : each[2]].casefold() not in _ROLES)
    return replace(labelled, truth=frozenset(kept))


def names_table(folder: Path) -> str:
    """Return a table with a row for each set, kind and reader, and the CPU time per page."""
    rows: list[Sequence[object]] = []
    times = ""
    for title, name, kinds, by_sentence, language in _SETS:
        if (folder / name).is_file():
            texts = [drop_roles(each) for each in select_held_out(read(folder / name, kinds, by_sentence=by_sentence))]
            found, milliseconds = _find_and_time(texts, language)
            rows += _make_rows(title, texts, found)
            times += f"{title} {milliseconds:.0f} ms; "
    heads = ("set", "kind", "true mentions", "reader", "precision [95 %]", "recall [95 %]", "F1 [95 %]")
    note = f"\n\nCPU time of rules and tagger per 3,000 characters, about a page: {times.rstrip('; ')}.\n"
    return table(heads, rows) + note if rows else ""


def _find_and_time(texts: Sequence[Labelled], language: str) -> tuple[list[Spans], float]:
    """Return the spans found in each text, and the CPU milliseconds per page."""
    # Load the model before the measurement.
    find_mentions(texts[0].text, Conventions(language), use_tagger=True)
    started = time.process_time()
    found = [_find_spans(each.text, language) for each in texts]
    characters = sum(len(each.text) for each in texts)
    return found, (time.process_time() - started) * 1000 * _PAGE_CHARACTERS / characters


def _find_spans(text: str, language: str) -> Spans:
    found = find_mentions(text, read_conventions([Page(1, text)], language), use_tagger=True)
    return frozenset((each.kind, each.start, each.end) for each in found)


def _make_rows(title: str, texts: Sequence[Labelled], found: list[Spans]) -> Iterator[Sequence[object]]:
    truths = [each.truth for each in texts]
    theirs = spacy_spans([each.text for each in texts]) if title != "German law" else None
    for kind in _KINDS:
        if not any(each[0] == kind for truth in truths for each in truth):
            continue
        for reader, spans in (("Docyard", found), ("spaCy md", theirs)):
            if spans is not None:
                result = agreement(kind, spans, truths)
                yield title, kind, result.truths, reader, result.precision, result.recall, result.f1
