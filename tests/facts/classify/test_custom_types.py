"""The types of a workspace: custom types, types that are off, and candidates if the type is uncertain."""

from __future__ import annotations

import pytest

from docyard.errors import BadInput
from docyard.facts.classify.decision import classify_type
from docyard.facts.classify.types import DEFAULT_TYPES, describe_types, list_types
from docyard.model.document_types import DOCUMENT_TYPES, CustomType, WorkspaceTypes, make_custom_type
from docyard.model.facts import Span
from docyard.model.text.pages import Page
from docyard.web.view.fact_labels import candidate_types
from tests.facts.sample_documents import INVOICE, LETTER

LAB = make_custom_type(
    "Lab report",
    "Results of laboratory tests of blood or water samples, with values and units.",
    ["reference range", "sample taken", " Sample  taken "],
)
KNOWN = WorkspaceTypes(own=(LAB,))


def classify(text: str, known: WorkspaceTypes) -> str | None:
    return classify_type([Page(1, text)], "text/plain", list_types(known)).kind


def test_the_model_and_the_classifier_list_the_same_types() -> None:
    assert tuple(each.name for each in DEFAULT_TYPES) == DOCUMENT_TYPES
    assert WorkspaceTypes().names == DOCUMENT_TYPES
    assert [each["name"] for each in describe_types(KNOWN)] == [*DOCUMENT_TYPES, "lab_report"]


def test_normalises_a_custom_type() -> None:
    assert (LAB.name, LAB.phrases) == ("lab_report", ("reference range", "Sample taken"))


def test_key_phrases_select_a_custom_type_and_are_its_evidence() -> None:
    text = "Berth 7\nSample\ntaken on Monday\nChloride 210 mg/l, nitrate 3 mg/l\nReference range: 0-250 mg/l"
    found = classify_type([Page(1, text)], "text/plain", list_types(KNOWN))
    assert found.kind == "lab_report"
    assert {each.kind for each in found.evidence} == {"lab_report"}
    phrases = {each.phrase: each.span for each in found.evidence}
    assert phrases["Sample taken"] == Span(1, 8, 20), "also across a line break"
    assert classify(text, WorkspaceTypes()) != "lab_report"


def test_key_phrases_match_literally() -> None:
    odd = make_custom_type("odd", "A form with special characters in its text.", ["(a+b)*", "[x]{3}"])
    assert classify("Form (a+b)*\nand [x]{3}\n", WorkspaceTypes(own=(odd,))) == "odd"
    assert classify("Form aab and xxx\n", WorkspaceTypes(own=(odd,))) is None


def test_never_chooses_a_type_that_is_off() -> None:
    assert classify(LETTER, KNOWN) == "letter"
    assert classify(LETTER, WorkspaceTypes(off=frozenset({"letter"}))) != "letter"
    assert classify(INVOICE, WorkspaceTypes(off=frozenset({"letter"}))) == "invoice"
    off = WorkspaceTypes(off=frozenset({"lab_report"}), own=(LAB,))
    assert "lab_report" not in off.names
    assert classify("LAB REPORT\nsample taken, reference range", off) != "lab_report"
    assert next(each for each in describe_types(off) if each["own"])["on"] is False


def test_an_uncertain_type_has_evidence_for_each_candidate() -> None:
    text = "Dear Sirs,\nwe speak of the governing law and the effective date.\nAnd of the weather, the quay."
    found = classify_type([Page(1, text)], "text/plain")
    assert found.kind is None
    kinds = list(dict.fromkeys(each.kind for each in found.evidence))
    assert {"letter", "contract"} <= set(kinds)
    for each in found.evidence:
        if each.span:
            quoted = " ".join(text[each.span.start : each.span.end].split())
            assert quoted.startswith(each.phrase)
    assert candidate_types(kinds).startswith("possibly ")


def test_a_text_without_evidence_has_no_candidates() -> None:
    assert classify_type([Page(1, "Hm.")], "text/plain").evidence == ()
    assert (candidate_types([]), candidate_types(["letter"]), candidate_types(["resume", "letter"])) == (
        "",
        "possibly letter",
        "possibly CV or letter",
    )


@pytest.mark.parametrize(
    ("name", "description", "phrases", "reason"),
    [
        ("", "Something that is long enough", [], "name of a type"),
        ("7th day", "Something that is long enough", [], "start with a letter"),
        ("a/b", "Something that is long enough", [], "name of a type"),
        ("x" * 51, "Something that is long enough", [], "name of a type"),
        ("Contract", "Something that is long enough", [], "switched on or off"),
        ("other", "Something that is long enough", [], "cannot be used as the name"),
        ("lab", "short", [], "10 to 500"),
        ("lab", "x" * 501, [], "10 to 500"),
        ("lab", "Something that is long enough", ["ab"], "key phrase"),
        ("lab", "Something that is long enough", ["..."], "letter or digit"),
        ("lab", "Something that is long enough", [f"phrase {n}" for n in range(21)], "at most 20"),
    ],
)
def test_refuses_an_invalid_type_with_a_reason(name: str, description: str, phrases: list[str], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        make_custom_type(name, description, phrases)


def test_accepts_a_name_in_any_script() -> None:
    assert isinstance(make_custom_type("Bürgschaft-Urkunde", "Eine Bürgschaft einer Bank.", []), CustomType)
    assert make_custom_type("契約書 別紙", "An appendix to a contract.", []).name == "契約書_別紙"
