"""Every mention has the text of its span, mentions do not overlap, and they are in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.facts.entities.recognition import read_mentions
from docyard.model.facts import MENTION_KINDS, Mention
from docyard.model.text.pages import Page

PARTS = st.sampled_from(
    [
        "Acme Widgets, Inc.", "Mr. John Smith", "3rd day of May, 2020", "05.06.2024", "EUR 1.234,50",
        "a@b.example", "Tel.: 030 1234567", "DE89 3704 0044 0532 0130 00", "§ 823 Abs. 1 BGB",
        "347 U.S. 483 (1954)", "Id. at 4", "[2019] UKSC 12", "Case C-131/12", "İstanbul ﬁn ß", "👩‍⚖️",
        "BGH, Urt. v. 3. Mai 2019 – VIII ZR 123/20", "Angela Merkel visited Paris with Siemens engineers",
        "replace leaking hydraulic hose on pump", "\x00", "\r\n\n",
    ]
)  # fmt: skip
TEXTS = st.lists(st.one_of(PARTS, st.text(max_size=12)), max_size=12).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXTS, max_size=3), st.sampled_from(["en", "de", "fr", None]))
def test_every_mention_has_the_text_of_its_span(texts: list[str], language: str | None) -> None:
    pages = [Page(number, text) for number, text in enumerate(texts, start=1)]
    check(read_mentions(pages, language), pages)


def test_mentions_of_many_kinds_have_the_text_of_their_span() -> None:
    text = "On 5 May 2024 Acme Ltd, ann@example.org, paid EUR 12.50; see 410 U.S. 113."
    found = read_mentions([Page(1, text)], "en")
    assert {each.kind for each in found} >= {"date", "organisation", "email", "money", "citation"}
    check(found, [Page(1, text)])


def check(found: Sequence[Mention], pages: Sequence[Page]) -> None:
    for each in found:
        text = pages[each.span.page - 1].text
        assert text[each.span.start : each.span.end] == each.text != ""
        assert each.kind in MENTION_KINDS
        assert each.normal
        assert 0 < each.confidence < 1
    for before, after in pairwise(found):
        assert before.span.page < after.span.page or before.span.end <= after.span.start


def test_mentions_are_ordered_by_page() -> None:
    found = read_mentions([Page(4, "am 5. Mai 2024"), Page(9, "am 6. Mai 2024")], "de")
    assert [(each.span.page, each.normal) for each in found] == [(4, "2024-05-05"), (9, "2024-05-06")]


def test_a_page_without_text_has_no_mentions() -> None:
    assert read_mentions([Page(1, ""), Page(2, " \n ")], None) == ()
