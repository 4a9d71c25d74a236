"""The type of a document by format, phrases and semantic similarity; None if it is uncertain."""

from __future__ import annotations

import pytest

from docyard.facts.classify.decision import classify_type
from docyard.facts.classify.types import DEFAULT_TYPES, make_custom_type
from docyard.inference import embedding
from docyard.model.text.pages import Page
from tests.facts.sample_documents import CONTRACT, INVOICE, LETTER, LISTING, OPINION, RECEIPT

MOTION = (
    "IN THE UNITED STATES COURT OF APPEALS\nNo. 20-16276\nMOTION TO STAY PROCEEDINGS\n\n"
    "Counsel for Plaintiffs\nRespectfully submitted,\nCERTIFICATE OF SERVICE"
)
MANUAL = (
    "PUMP P-100 OPERATING MANUAL\n\nWarning: switch the motor off.\n"
    "Step 1 Install the bracket with two bolts.\n"
    "Step 2 Connect the cable.\n\nTroubleshooting\nParts list"
)
WORK_ORDER = "WORK ORDER 4711\nEquipment: Pump\nFault: leaking\nAction taken: seal replaced\nTechnician: Moor"
PAPER = (
    "On the drift of buoys\n\nAbstract\nWe present a study of drifting buoys (Moor et al., 2020).\n\n"
    "1 Introduction\n"
    "Journal of Tides, vol. 3. doi:10.1/2\n\nReferences\n"
)
FORM = (
    "APPLICATION FOR A BERTH\nPlease print. For office use only\nFirst name ________ Last name ________\n"
    "Date of birth ________\n☐ sail ☐ motor\nSignature ________"
)
MINUTES = "Minutes of the harbour board\nPresent: Ann, Bob\n\nAction items\nThe meeting was adjourned at noon."


def classify(text: str, media_type: str = "text/plain") -> str | None:
    return classify_type([Page(1, text)], media_type).kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (RECEIPT, "receipt"),
        (INVOICE, "invoice"),
        (CONTRACT, "contract"),
        (OPINION, "court_opinion"),
        (MOTION, "filing"),
        (LISTING, "court_list"),
        (LETTER, "letter"),
        (MANUAL, "manual"),
        (WORK_ORDER, "work_order"),
        (PAPER, "article"),
        (FORM, "form"),
        (MINUTES, "minutes"),
    ],
)
def test_classifies_by_text(text: str, kind: str) -> None:
    assert classify(text) == kind


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("message/rfc822", "email"),
        ("application/vnd.ms-outlook", "email"),
        ("text/csv", "spreadsheet"),
        ("application/vnd.oasis.opendocument.presentation", "presentation"),
    ],
)
def test_some_formats_decide_the_type(media_type: str, kind: str) -> None:
    assert classify("Dear Bob, here is the invoice. Sincerely, Ann", media_type) == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        "The tide comes and goes. Gulls cry over the quay all day long.",
        "We spoke of the invoice, and of the fault in the pump, and then of the weather.",
    ],
)
def test_the_type_of_an_unclear_text_is_none(text: str) -> None:
    found = classify_type([Page(1, text)], "text/plain")
    assert found.kind is None
    assert found.confidence < 0.5


def test_evidence_has_the_span_of_its_phrase() -> None:
    pages = [Page(1, "A cover"), Page(2, CONTRACT)]
    found = classify_type(pages, "application/pdf")
    assert found.kind == "contract"
    assert len(found.evidence) >= 3
    for each in found.evidence:
        if each.span is not None:
            text = pages[each.span.page - 1].text[each.span.start : each.span.end]
            assert " ".join(text.split()).startswith(each.phrase)


def test_a_clear_document_has_a_higher_confidence() -> None:
    clear = classify_type([Page(1, CONTRACT)], "text/plain").confidence
    vague = classify_type([Page(1, "Notes on what we said of the lease\nof the berth")], "text/plain").confidence
    assert clear > 0.95 > vague


def test_classifies_by_phrases_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "find_model", lambda: None)
    assert classify(INVOICE) == "invoice"
    assert classify("Hello there, this is a note about the weather and nothing else.") is None


def test_recognises_a_custom_type_by_its_description() -> None:
    description = 'results of laboratory tests of blood or water samples, with values, units and "reference range"'
    kinds = (*DEFAULT_TYPES, make_custom_type("lab_report", description))
    by_name = "LAB REPORT\nSample 7\nHaemoglobin 14.1 g/dL, reference range 12-16"
    by_description = (
        "Water sample taken at berth 7. Chloride 210 mg/l, nitrate 3 mg/l, E. coli not detected, pH 7.4."
        " Blood and water samples are tested in our laboratory. Reference range: see overleaf."
    )
    for text in (by_name, by_description):
        assert classify_type([Page(1, text)], "text/plain", kinds).kind == "lab_report"
    assert classify_type([Page(1, INVOICE)], "text/plain", kinds).kind == "invoice"
