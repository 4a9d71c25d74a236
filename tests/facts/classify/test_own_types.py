"""The types of a workspace: its own beside ours, none that is off; and what 'not sure' is torn between."""

from __future__ import annotations

import pytest

from docyard.errors import BadInput
from docyard.facts.classify.decision import classify_type
from docyard.facts.classify.types import DEFAULT_TYPES, described_types, list_types
from docyard.model.document_types import DOCUMENT_TYPES, KnownTypes, OwnType, own_type
from docyard.model.facts import Span
from docyard.model.text.pages import Page
from docyard.web.view.fact_words import between
from tests.facts.papers import INVOICE, LETTER

LAB = own_type(
    "Lab report",
    "Results of laboratory tests of blood or water samples, with values and units.",
    ["reference range", "sample taken", " Sample  taken "],
)
KNOWN = KnownTypes(own=(LAB,))


def verdict(text: str, known: KnownTypes) -> str | None:
    return classify_type([Page(1, text)], "text/plain", list_types(known)).kind


def test_the_list_in_words_is_the_list_of_the_engine() -> None:
    assert tuple(each.name for each in DEFAULT_TYPES) == DOCUMENT_TYPES
    assert KnownTypes().names == DOCUMENT_TYPES
    assert [each["name"] for each in described_types(KNOWN)] == [*DOCUMENT_TYPES, "lab_report"]


def test_a_type_is_tidied_up() -> None:
    assert (LAB.name, LAB.phrases) == ("lab_report", ("reference range", "Sample taken"))


def test_key_phrases_choose_a_type_of_ones_own_and_are_its_evidence() -> None:
    text = "Berth 7\nSample\ntaken on Monday\nChloride 210 mg/l, nitrate 3 mg/l\nReference range: 0-250 mg/l"
    found = classify_type([Page(1, text)], "text/plain", list_types(KNOWN))
    assert found.kind == "lab_report"
    assert {each.kind for each in found.evidence} == {"lab_report"}
    phrases = {each.phrase: each.span for each in found.evidence}
    assert phrases["Sample taken"] == Span(1, 8, 20), "over the end of a line too"
    assert verdict(text, KnownTypes()) != "lab_report"


def test_key_phrases_count_as_they_stand() -> None:
    odd = own_type("odd", "A paper with signs that mean something to programs.", ["(a+b)*", "[x]{3}"])
    assert verdict("Form (a+b)*\nand [x]{3}\n", KnownTypes(own=(odd,))) == "odd"
    assert verdict("Form aab and xxx\n", KnownTypes(own=(odd,))) is None


def test_what_is_switched_off_is_never_chosen() -> None:
    assert verdict(LETTER, KNOWN) == "letter"
    assert verdict(LETTER, KnownTypes(off=frozenset({"letter"}))) != "letter"
    assert verdict(INVOICE, KnownTypes(off=frozenset({"letter"}))) == "invoice"
    off = KnownTypes(off=frozenset({"lab_report"}), own=(LAB,))
    assert "lab_report" not in off.names
    assert verdict("LAB REPORT\nsample taken, reference range", off) != "lab_report"
    assert next(each for each in described_types(off) if each["own"])["on"] is False


def test_not_sure_says_what_it_is_torn_between() -> None:
    text = "Dear Sirs,\nwe speak of the governing law and the effective date.\nAnd of the weather, the quay."
    found = classify_type([Page(1, text)], "text/plain")
    assert found.kind is None
    kinds = list(dict.fromkeys(each.kind for each in found.evidence))
    assert {"letter", "contract"} <= set(kinds)
    for each in found.evidence:
        if each.span:
            said = " ".join(text[each.span.start : each.span.end].split())
            assert said.startswith(each.phrase)
    assert between(kinds).startswith("between ")


def test_where_nothing_speaks_nothing_is_said() -> None:
    assert classify_type([Page(1, "Hm.")], "text/plain").evidence == ()
    assert (between([]), between(["letter"]), between(["resume", "letter"])) == (
        "",
        "perhaps letter",
        "between CV and letter",
    )


@pytest.mark.parametrize(
    ("name", "description", "phrases", "words"),
    [
        ("", "Something that is long enough", [], "name of a type"),
        ("7th day", "Something that is long enough", [], "begins with a letter"),
        ("a/b", "Something that is long enough", [], "name of a type"),
        ("x" * 51, "Something that is long enough", [], "name of a type"),
        ("Contract", "Something that is long enough", [], "switched on and off"),
        ("other", "Something that is long enough", [], "cannot be called"),
        ("lab", "short", [], "10 to 500"),
        ("lab", "x" * 501, [], "10 to 500"),
        ("lab", "Something that is long enough", ["ab"], "key phrase"),
        ("lab", "Something that is long enough", ["..."], "letter or digit"),
        ("lab", "Something that is long enough", [f"phrase {n}" for n in range(21)], "at most 20"),
    ],
)
def test_what_could_not_work_is_refused_in_words(
    name: str, description: str, phrases: list[str], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        own_type(name, description, phrases)


def test_a_type_may_be_called_in_any_script() -> None:
    assert isinstance(own_type("Bürgschaft-Urkunde", "Eine Bürgschaft einer Bank.", []), OwnType)
    assert own_type("契約書 別紙", "An appendix to a contract.", []).name == "契約書_別紙"
