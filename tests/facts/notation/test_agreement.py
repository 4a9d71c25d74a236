"""Fields, mentions and entity keys recognise the same legal forms."""

from __future__ import annotations

import pytest

from docyard.facts.entities.names import find_companies
from docyard.facts.notation.conventions import UNKNOWN
from docyard.facts.notation.names import find_name_end
from docyard.facts.resolution.keys import make_entity_key

_FORMS = (
    *("GmbH", "GmbH & Co. KG", "AG", "KG", "OHG", "UG", "e.K.", "SE", "Inc.", "Corp.", "LLC", "L.L.C.", "LLP"),
    *("Ltd.", "Limited", "PLC", "Pty Ltd", "Pte. Ltd.", "S.A.", "SARL", "SAS", "SPRL", "S.p.A.", "S.r.l.", "S.L."),
    *("B.V.", "N.V.", "A/S", "ApS", "Oy", "AB", "Sdn. Bhd.", "Company"),
)


@pytest.mark.parametrize("form", _FORMS)
def test_all_modules_recognise_a_legal_form(form: str) -> None:
    name = f"Harbour Quay {form}"
    text = f"{name} sells ropes"
    assert [text[each.start : each.end] for each in find_companies(text, UNKNOWN)] == [name]
    assert text[: find_name_end(text, 0)].rstrip(".") == name.rstrip(".")
    assert make_entity_key("organisation", name) == "harbour quay"
