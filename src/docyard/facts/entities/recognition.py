"""Mentions of a document, found by rules and by the tagger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docyard.facts.entities.account_numbers import find_ibans, find_invoice_numbers, find_vat_numbers
from docyard.facts.entities.contacts import find_emails, find_phones
from docyard.facts.entities.dates import find_date_mentions
from docyard.facts.entities.defined_terms import find_defined_terms
from docyard.facts.entities.definitions import Definitions, read_definitions, reconcile_people
from docyard.facts.entities.law.citations import find_case_numbers, find_citations, find_courts, find_statutes
from docyard.facts.entities.law.german import (
    find_german_citations,
    find_german_courts,
    find_german_file_numbers,
    find_german_statutes,
)
from docyard.facts.entities.law.us import find_us_citations
from docyard.facts.entities.mail_headers import find_correspondents
from docyard.facts.entities.money import find_money_mentions
from docyard.facts.entities.names import find_companies, find_people
from docyard.facts.entities.postal_addresses import find_town_mentions, mask_known_parts
from docyard.facts.entities.repeats import find_repeats
from docyard.facts.entities.spans import NamedSpan, Rule, drop_overlaps
from docyard.facts.entities.tagged_organisations import adopt_rule_names, extend_to_label_values, is_tagged
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.evidence import read_conventions
from docyard.facts.notation.plain_name import normalise_name
from docyard.inference import tagger
from docyard.model.facts import Mention, Span
from docyard.model.text.pages import Page

# In order of precedence: a span that overlaps one of an earlier rule is dropped.
RULES: tuple[Rule, ...] = (
    find_correspondents,
    find_emails,
    find_ibans,
    find_vat_numbers,
    find_german_citations,
    find_german_statutes,
    find_us_citations,
    find_citations,
    find_statutes,
    find_case_numbers,
    find_german_file_numbers,
    find_date_mentions,
    find_money_mentions,
    find_invoice_numbers,
    find_phones,
    find_german_courts,
    find_courts,
    find_town_mentions,
    find_companies,
    find_people,
)
MAX_TAGGED_CHARS = 200_000  # per document; about seventy pages, which take half a minute
MAX_DEFINITION_CHARS = 1_000_000  # per document, searched for definitions
MIN_CONFIDENCE = 0.3
# In German, all nouns are capitalised, and only one in five tagged names below these values was a name.
_MIN_CONFIDENCE_GERMAN = {"person": 0.6, "organisation": 0.7, "place": 0.6}
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")


def read_mentions(pages: Sequence[Page], language: str | None, kind: str | None = None) -> tuple[Mention, ...]:
    """Return all mentions of a document, ordered by page and offset."""
    conventions = read_conventions(pages, language, kind)
    definitions = read_definitions("\n\n".join(page.text for page in pages)[:MAX_DEFINITION_CHARS])
    found: list[Mention] = []
    remaining = MAX_TAGGED_CHARS if tagger.is_installed() else 0
    for page in pages:
        use_tagger = 0 < len(page.text) <= remaining
        found += _find_on_page(page, conventions, definitions, use_tagger=use_tagger)
        remaining -= len(page.text) if use_tagger else 0
    return tuple(found)


def _is_reliable(each: NamedSpan, text: str, language: str | None) -> bool:
    """Return whether a tagged name has enough confidence and is not only initials.

    Initials count in German, because German courts shorten the names of people to them.
    """
    if language == "de":
        return each.confidence >= _MIN_CONFIDENCE_GERMAN.get(each.kind, MIN_CONFIDENCE)
    return each.confidence >= MIN_CONFIDENCE and bool(_TWO_LETTERS.search(text, each.start, each.end))


def _find_on_page(
    page: Page, conventions: Conventions, definitions: Definitions, *, use_tagger: bool
) -> Iterator[Mention]:
    for each in find_mentions(page.text, conventions, definitions, use_tagger=use_tagger):
        span = Span(page.number, each.start, each.end)
        text = page.text[each.start : each.end]
        yield Mention(each.kind, span, text, each.normal, each.confidence, each.source)


def _run_tagger(text: str) -> Iterator[NamedSpan]:
    """Yield the names that the tagger finds."""
    for each in tagger.find_names(text):
        normal = normalise_name(text[each.start : each.end])
        yield NamedSpan(each.kind, each.start, each.end, normal, each.confidence, "model")


def find_mentions(
    text: str, conventions: Conventions, definitions: Definitions | None = None, *, use_tagger: bool
) -> list[NamedSpan]:
    """Return the mentions of a text, found by rules and, if requested, by the tagger.

    `definitions` are those of the whole document, if the text is a part of it.
    """
    definitions = definitions or read_definitions(text)
    found = drop_overlaps([each for rule in RULES for each in rule(text, conventions)])
    if use_tagger:
        tagged = [
            each for each in _run_tagger(mask_known_parts(text)) if _is_reliable(each, text, conventions.language)
        ]
        extended = extend_to_label_values(text, tagged)
        found = drop_overlaps(
            [each for each in found if not is_tagged(each, extended)] + adopt_rule_names(extended, found)
        )
    found = reconcile_people(text, found, definitions)
    found = drop_overlaps([*found, *find_defined_terms(text, found)])
    return drop_overlaps([*found, *find_repeats(text, found)])
