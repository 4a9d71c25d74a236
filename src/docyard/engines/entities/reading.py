"""The mentions of a document: rules first, then the model on what they leave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.engines.entities import tagger
from docyard.engines.entities.account_numbers import ibans, invoice_numbers, vat_numbers
from docyard.engines.entities.contacts import emails, phones
from docyard.engines.entities.dates import dates
from docyard.engines.entities.defined_terms import defined_terms
from docyard.engines.entities.found import Found, Rule, apart
from docyard.engines.entities.german_law import german_citations, german_courts, german_files, german_statutes
from docyard.engines.entities.law import case_numbers, citations, courts, statutes
from docyard.engines.entities.mail_heads import correspondents
from docyard.engines.entities.money import money
from docyard.engines.entities.name_ends import shorter, whole_values, with_forms
from docyard.engines.entities.names import companies, people
from docyard.engines.entities.postal import hidden, towns
from docyard.engines.entities.repeats import repeats
from docyard.engines.entities.us_law import us_citations
from docyard.model.facts import Mention, Span
from docyard.model.pages import Page

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


def mentions(pages: Sequence[Page], language: str | None) -> tuple[Mention, ...]:
    """All mentions of a document, page by page in the order they stand."""
    found: list[Mention] = []
    left = MOST_LETTERS if tagger.installed() else 0
    for page in pages:
        found += _of_page(page, language, read_by_model=0 < len(page.text) <= left)
        left -= len(page.text)
    return tuple(found)


def _worth(each: Found, text: str, language: str | None) -> bool:
    """Sure enough and more than an initial; German courts write people as initials."""
    if language == "de":
        return each.confidence >= _LEAST_SURE_IN_GERMAN.get(each.kind, LEAST_SURE)
    return each.confidence >= LEAST_SURE and bool(_LETTERS.search(text, each.start, each.end))


def _of_page(page: Page, language: str | None, *, read_by_model: bool) -> Iterator[Mention]:
    for each in in_text(page.text, language, read_by_model=read_by_model):
        span = Span(page.number, each.start, each.end)
        written = page.text[each.start : each.end]
        yield Mention(each.kind, span, written, each.normal, each.confidence, each.source)


def in_text(text: str, language: str | None, *, read_by_model: bool) -> list[Found]:
    """What a text names, by rules and, where it is asked, by the model."""
    found = apart([each for rule in RULES for each in rule(text, language)])
    if read_by_model:
        named = [each for each in tagger.tagged(hidden(text)) if _worth(each, text, language)]
        named = whole_values(text, named)
        found = apart([each for each in found if not shorter(each, named)] + with_forms(named, found))
    found = apart([*found, *defined_terms(text, found)])
    return apart([*found, *repeats(text, found)])
