"""The entities stage reads dates by the language that the classify stage detected."""

from __future__ import annotations

import pytest

from docyard.model.stage_values import Classification
from docyard.stages import entities
from tests.builders.stage_inputs import make_extracted, make_input


@pytest.mark.parametrize(("language", "day"), [("en", "2024-05-06"), ("fr", "2024-06-05")])
def test_the_language_decides_the_order_of_day_and_month(language: str, day: str) -> None:
    text = "05/06/2024, State of Maine"
    mentioned = entities.run(make_input(make_extracted(text), Classification(None, language)))
    assert [each.normal for each in mentioned.mentions if each.kind == "date"] == [day]
