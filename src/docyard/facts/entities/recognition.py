"""Mentions of a document: found by rules first, then by the tagger in the remaining text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.entities.account_numbers import ibans, invoice_numbers, vat_numbers
from docyard.facts.entities.contacts import emails, phones
from docyard.facts.entities.dates import dates
from docyard.facts.entities.defined_terms import defined_terms
from docyard.facts.entities.law.citations import case_numbers, citations, courts, statutes
from docyard.facts.entities.law.german import (
    german_citations,
    german_courts,
    german_files,
    german_statutes,
)
from docyard.facts.entities.law.us import us_citations
from docyard.facts.entities.mail_headers import correspondents
from docyard.facts.entities.money import money
from docyard.facts.entities.name_ends import shorter, whole_values, with_forms
from docyard.facts.entities.names import companies, people
from docyard.facts.entities.postal import hidden, towns
from docyard.facts.entities.repeats import repeats
from docyard.facts.entities.spans import Found, Rule, apart
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.evidence import read_conventions
from docyard.facts.notation.plain_name import plain_name
from docyard.inference import tagger
from docyard.model.facts import Mention, Span
from docyard.model.text.pages import Page

# In order of precedence: spans of later rules must not overlap those of earlier ones.
RULES: tuple[Rule, ...] = (
    correspondents,
    emails,
    ibans,
    vat_numbers,
    german_citations,
    german_statutes,
    us_citations,
    citations,
    statutes,
    case_numbers,
    german_files,
    dates,
    money,
    invoice_numbers,
    phones,
    german_courts,
    courts,
    towns,
    companies,
    people,
)
MOST_LETTERS = 200_000  # of one document, read by the tagger: about seventy pages, half a minute
LEAST_SURE = 0.3
# All German nouns are capitalised: below these values, only one in five tagged names was a name.
_MIN_CONFIDENCE_GERMAN = {"person": 0.6, "organisation": 0.7, "place": 0.6}
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")


def mentions(pages: Sequence[Page], language: str | None, kind: str | None = None) -> tuple[Mention, ...]:
    """Return all mentions of a document, ordered by page and offset."""
    conventions = read_conventions(pages, language, kind)
    found: list[Mention] = []
    remaining = MOST_LETTERS if tagger.installed() else 0
    for page in pages:
        found += _find_on_page(page, conventions, read_by_model=0 < len(page.text) <= remaining)
        remaining -= len(page.text)
    return tuple(found)


def _is_reliable(each: Found, text: str, language: str | None) -> bool:
    """Return whether a tagged name is confident enough and has more than initials.

    German courts write people as initials, so these count in German.
    """
    if language == "de":
        return each.confidence >= _MIN_CONFIDENCE_GERMAN.get(each.kind, LEAST_SURE)
    return each.confidence >= LEAST_SURE and bool(_TWO_LETTERS.search(text, each.start, each.end))


def _find_on_page(page: Page, conventions: Conventions, *, read_by_model: bool) -> Iterator[Mention]:
    for each in in_text(page.text, conventions, read_by_model=read_by_model):
        span = Span(page.number, each.start, each.end)
        text = page.text[each.start : each.end]
        yield Mention(each.kind, span, text, each.normal, each.confidence, each.source)


def _run_tagger(text: str) -> Iterator[Found]:
    """Yield the names that the tagger finds, in the form of spans found by rules."""
    for each in tagger.tagged(text):
        normal = plain_name(text[each.start : each.end])
        yield Found(each.kind, each.start, each.end, normal, each.confidence, "model")


def in_text(text: str, conventions: Conventions, *, read_by_model: bool) -> list[Found]:
    """Return the mentions of a text, found by rules and, if requested, by the tagger."""
    found = apart([each for rule in RULES for each in rule(text, conventions)])
    if read_by_model:
        tagged = [
            each for each in _run_tagger(hidden(text)) if _is_reliable(each, text, conventions.language)
        ]
        extended = whole_values(text, tagged)
        found = apart([each for each in found if not shorter(each, extended)] + with_forms(extended, found))
    found = apart([*found, *defined_terms(text, found)])
    return apart([*found, *repeats(text, found)])
