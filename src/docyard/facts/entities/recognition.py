"""The mentions of a document: rules first, then the model on what they leave."""

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

# The surest first: what one has taken, the next ones do not get.
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
MOST_LETTERS = 200_000  # that the model reads of one document: some seventy pages, half a minute
LEAST_SURE = 0.3
# Every German noun has a capital: below these, what the tagger took for a name was one in five times.
_LEAST_SURE_IN_GERMAN = {"person": 0.6, "organisation": 0.7, "place": 0.6}
_LETTERS = re.compile(r"[^\W\d_]{2}")


def mentions(pages: Sequence[Page], language: str | None, kind: str | None = None) -> tuple[Mention, ...]:
    """All mentions of a document, page by page in the order they stand."""
    conventions = read_conventions(pages, language, kind)
    found: list[Mention] = []
    left = MOST_LETTERS if tagger.installed() else 0
    for page in pages:
        found += _of_page(page, conventions, read_by_model=0 < len(page.text) <= left)
        left -= len(page.text)
    return tuple(found)


def _worth(each: Found, text: str, language: str | None) -> bool:
    """Sure enough and more than an initial; German courts write people as initials."""
    if language == "de":
        return each.confidence >= _LEAST_SURE_IN_GERMAN.get(each.kind, LEAST_SURE)
    return each.confidence >= LEAST_SURE and bool(_LETTERS.search(text, each.start, each.end))


def _of_page(page: Page, conventions: Conventions, *, read_by_model: bool) -> Iterator[Mention]:
    for each in in_text(page.text, conventions, read_by_model=read_by_model):
        span = Span(page.number, each.start, each.end)
        written = page.text[each.start : each.end]
        yield Mention(each.kind, span, written, each.normal, each.confidence, each.source)


def _tagged(text: str) -> Iterator[Found]:
    """What the model names, in the form of what the rules find."""
    for each in tagger.tagged(text):
        normal = plain_name(text[each.start : each.end])
        yield Found(each.kind, each.start, each.end, normal, each.confidence, "model")


def in_text(text: str, conventions: Conventions, *, read_by_model: bool) -> list[Found]:
    """What a text names, by rules and, where it is asked, by the model."""
    found = apart([each for rule in RULES for each in rule(text, conventions)])
    if read_by_model:
        likely = [each for each in _tagged(hidden(text)) if _worth(each, text, conventions.language)]
        named = whole_values(text, likely)
        found = apart([each for each in found if not shorter(each, named)] + with_forms(named, found))
    found = apart([*found, *defined_terms(text, found)])
    return apart([*found, *repeats(text, found)])
