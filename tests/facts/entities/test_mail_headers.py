"""People in mail headers and towns in addresses, which are found by rules."""

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


def test_finds_people_in_mail_headers() -> None:
    found = [each.normal for each in find_correspondents(MESSAGE, Conventions("en"))]
    assert found == ["Jonas Lind", "Ada Petersen", "Erik Lund", "Paris Marlow"]


def test_finds_people_in_german_headers_without_addresses() -> None:
    text = "Von: Weber, Anna\nAn: Schmidt, Karl; Hamburg, Peter\nGesendet: 3. Mai 2024\nBetreff: Angebot\n"
    found = [(each.kind, each.normal) for each in drop_overlaps(find_correspondents(text, Conventions("de")))]
    assert found == [("person", "Anna Weber"), ("person", "Karl Schmidt"), ("person", "Peter Hamburg")]


def test_a_single_line_without_an_address_is_not_a_header() -> None:
    assert list(find_correspondents("To: Kestrel Theatre\nCross Lane, York", Conventions("en"))) == []


def test_finds_each_correspondent_once_and_not_as_a_place() -> None:
    found = find_mentions(MESSAGE, Conventions("en"), use_tagger=True)
    people = [each.normal for each in found if each.kind == "person"]
    assert sorted(people) == ["Ada Petersen", "Erik Lund", "Jonas Lind", "Paris Marlow"]
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
def test_finds_the_town_of_an_address(text: str, town: str) -> None:
    assert [each.normal for each in find_town_mentions(text, UNKNOWN)] == [town]
    assert town in mask_known_parts(text)


@pytest.mark.parametrize(
    "text", ["It had 1200 Employees in 1850.", "In 2019 Parliament voted.", "on 12 May 2020", "Lane 100, Quay"]
)
def test_ignores_numbers_and_names_that_are_not_towns(text: str) -> None:
    assert list(find_town_mentions(text, UNKNOWN)) == []
    assert mask_known_parts(text) == text


def test_masks_streets_without_moving_other_text() -> None:
    text = "Tischlerei Hansen, Karl-Marx-Straße 12, 24103 Kiel"
    masked = mask_known_parts(text)
    assert len(masked) == len(text)
    assert "Straße" not in masked
    assert "Tischlerei Hansen" in masked
    assert "Kiel" in masked


def test_extends_a_name_to_the_value_of_its_label() -> None:
    text = "Buyer: Sailing School Albatross\nDate: 17 April 2025"
    cut = NamedSpan("organisation", 7, 21, "Sailing School", 0.6, "model")
    assert [each.normal for each in extend_to_label_values(text, [cut])] == ["Sailing School Albatross"]
