"""Heads of messages name people, and addresses name towns, whatever the tagger would make of them."""

from __future__ import annotations

import pytest

from docyard.facts.entities.mail_headers import find_correspondents
from docyard.facts.entities.postal_addresses import find_town_mentions, mask_known_parts
from docyard.facts.entities.recognition import find_mentions
from docyard.facts.entities.spans import NamedSpan, drop_overlaps
from docyard.facts.entities.tagged_organisations import extend_to_label_values
from docyard.facts.notation.conventions import UNKNOWN, Conventions

MESSAGE = """From: Jonas Lind <jonas@harbour-quay.example>
To: Ada Petersen <ada@northwind.example>, "Lund, Erik" <erik@northwind.example>
Cc: Paris Marlow; Harbour Office
Subject: Survey

To: be done before the season
"""


def test_people_of_a_head() -> None:
    found = [each.normal for each in find_correspondents(MESSAGE, Conventions("en"))]
    assert found == ["Jonas Lind", "Ada Petersen", "Erik Lund", "Paris Marlow"]


def test_a_german_head_without_addresses() -> None:
    text = "Von: Weber, Anna\nAn: Schmidt, Karl; Hamburg, Peter\nGesendet: 3. Mai 2024\nBetreff: Angebot\n"
    found = [(each.kind, each.normal) for each in drop_overlaps(find_correspondents(text, Conventions("de")))]
    assert found == [("person", "Anna Weber"), ("person", "Karl Schmidt"), ("person", "Peter Hamburg")]


def test_a_line_alone_is_no_head() -> None:
    assert list(find_correspondents("To: Kestrel Theatre\nCross Lane, York", Conventions("en"))) == []


def test_each_person_of_a_message_once_and_never_as_a_place() -> None:
    found = find_mentions(MESSAGE, Conventions("en"), use_tagger=True)
    named = [each.normal for each in found if each.kind == "person"]
    assert sorted(named) == ["Ada Petersen", "Erik Lund", "Jonas Lind", "Paris Marlow"]
    assert not [each for each in found if each.kind in ("place", "organisation")]


@pytest.mark.parametrize(
    ("text", "town"),
    [
        ("Hafenstr. 9, 20095 Hamburg", "Hamburg"),
        ("Am Kurhaus 27\n25845 Nordstrand", "Nordstrand"),
        ("815 NE Alder Street, Portland, OR 97232", "Portland"),
        ("Molenstraat 4, 1012 AB Amsterdam", "Amsterdam"),
        ("14 rue des Tanneurs\n35000 Rennes", "Rennes"),
        ("3 Station Road\nMarlow SL7 1NB", "Marlow"),
    ],
)
def test_the_town_of_an_address(text: str, town: str) -> None:
    assert [each.normal for each in find_town_mentions(text, UNKNOWN)] == [town]
    assert town in mask_known_parts(text)


@pytest.mark.parametrize(
    "text",
    ["It had 1200 Employees in 1850.", "In 2019 Parliament voted.", "on 12 May 2020", "Lane 100, Quay"],
)
def test_what_is_no_town(text: str) -> None:
    assert list(find_town_mentions(text, UNKNOWN)) == []
    assert mask_known_parts(text) == text


def test_streets_are_hidden_in_their_places() -> None:
    text = "Tischlerei Hansen, Karl-Marx-Straße 12, 24103 Kiel"
    shown = mask_known_parts(text)
    assert len(shown) == len(text)
    assert "Straße" not in shown
    assert "Tischlerei Hansen" in shown
    assert "Kiel" in shown


def test_a_value_after_a_label_is_one_name() -> None:
    text = "Buyer: Sailing School Albatross\nDate: 17 April 2025"
    cut = NamedSpan("organisation", 7, 21, "Sailing School", 0.6, "model")
    assert [each.normal for each in extend_to_label_values(text, [cut])] == ["Sailing School Albatross"]
