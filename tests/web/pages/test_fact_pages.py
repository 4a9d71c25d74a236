"""Facts on pages: fields, mentions, marks, verdicts and entities."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from docyard.cli.run.samples import make_text_pdf
from docyard.db import Database
from docyard.facts.resolution.keys import make_entity_key
from docyard.model.facts import CanonicalMention, EntityKey, FieldValue, Mention, Relation, Span
from docyard.model.stage_values import Classification, ExtractedText, FetchedFile, TypeEvidence
from docyard.model.stages import Stage
from docyard.model.text.pages import Page, Word, pack_words
from docyard.pipeline.storage.classification import make_classification_facts
from docyard.stages import classify, classify_ai
from docyard.store import documents, facts, results
from docyard.store.graph import merges
from tests.web.site import Client, Library

TEXT = "Acme Ltd pays 900 EUR.\nACME LTD <signs> on Monday."
PLACES = ((0, 8), (14, 21), (23, 31))
WORDS = (
    Word(0, 4, 50, 60, 80, 72),
    Word(5, 8, 84, 60, 100, 72),
    Word(14, 17, 130, 60, 150, 72),
    Word(18, 21, 154, 60, 176, 72),
    Word(23, 27, 50, 80, 84, 92),
    Word(28, 31, 88, 80, 110, 92),
)


@pytest.fixture
def contract(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A PDF with two mentions of one company, an amount, two fields and a relation."""
    data = make_text_pdf(TEXT.splitlines())
    document = shelf.add_document(workspace, "contract.pdf", data)
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("application/pdf", len(data), "0" * 64))
        page = Page(1, TEXT, 595.0, 842.0, pack_words(WORDS))
        results.save_extracted(conn, document, workspace, ExtractedText((page,)))
        classified = Classification("Contract", "en", "contract", 0.97, summary="Acme pays.", date="2026-03-05")
        results.save_classified(conn, document, classified)
        documents.mark_completed(conn, document, 1.0)
        conn.execute("DELETE FROM jobs WHERE document_id = %s", (document,))
        whole = documents.get_document(conn, document)
        amount = FieldValue("total", "900", "900.00", 0.62, "rule", Span(1, 14, 17))
        facts.save_fields(conn, whole, [amount, FieldValue("iban", "DE02", "DE02", 0.99, "xml")])
        mentions = [_make_mention("organisation", *PLACES[0]), _make_mention("organisation", *PLACES[2])]
        money = CanonicalMention(Mention("money", Span(1, *PLACES[1]), "900 EUR", "EUR 900.00", 0.95, "rule"), "")
        facts.save_mentions(conn, whole, [each.mention for each in (*mentions, money)])
        facts.save_canonical_mentions(conn, whole, mentions)
        acme = EntityKey("organisation", mentions[0].key)
        facts.save_relations(conn, whole, [Relation("party_to", acme, None, Span(1, 0, 8), 0.9)], [])
    return document


def _make_mention(kind: str, start: int, end: int) -> CanonicalMention:
    text = TEXT[start:end]
    return CanonicalMention(Mention(kind, Span(1, start, end), text, text, 0.83, "model"), make_entity_key(kind, text))


@pytest.fixture
def acme(workspace: UUID, contract: UUID) -> UUID:
    """The entity id of the company."""
    return facts.entity_id(workspace, EntityKey("organisation", make_entity_key("organisation", "Acme Ltd")))


def _find_marks(page: str) -> list[str]:
    return re.findall(r'<svg class="marks".*?</svg>', page, re.DOTALL)


def test_page_shows_type_fields_and_mentions(editor: Client, contract: UUID) -> None:
    page = html.unescape(editor.get(f"/documents/{contract}").text)
    assert 'Contract <span class="sure">very high confidence, 97\xa0%</span>' in page
    assert "Acme pays." in page
    assert "5\xa0Mar 2026" in page
    assert f'<a href="/documents/{contract}?page=1&start=14&end=17#pages">900</a>' in page
    assert '<span class="normal">900.00</span>' in page
    assert "medium confidence, 62\xa0%" in page
    assert "very high confidence, 99\xa0%, from invoice data in the file" in page
    assert re.search(r'data-thing="[0-9a-f-]{36}">Acme Ltd<span class="count">.*?2<', page)
    assert re.search(r"Acme Ltd</a> is a party to this document", page)


def test_marks_facts_on_the_image_and_in_the_text(editor: Client, contract: UUID) -> None:
    page = html.unescape(editor.get(f"/documents/{contract}").text)
    (drawn,) = _find_marks(page)
    assert drawn.count("<title>Organisation: Acme Ltd · high confidence, 83\xa0% · not checked</title>") == 2
    assert '<rect x="48.50" y="58.50" width="53.00" height="15.00"' in drawn
    assert "<title>Money: EUR 900.00 · very high confidence, 95\xa0% · not checked</title>" in drawn
    assert "<title>Total: 900.00 · medium confidence, 62\xa0% · not checked</title>" in drawn
    assert re.search(r'<a class="said thing organisation unconfirmed" [^>]*>ACME LTD</a> <signs> on', page)
    plain = editor.get(f"/documents/{contract}?marks=off").text
    assert "<title>" not in _find_marks(plain)[0]
    assert 'class="said ' not in plain
    assert "Show highlights" in plain
    assert "&lt;signs&gt;" in plain


def test_selected_mention_lists_all_mentions_of_its_entity(editor: Client, contract: UUID, acme: UUID) -> None:
    shown = editor.get(f"/documents/{contract}").text
    (link,) = set(re.findall(r'class="thing organisation" href="([^"]+)"', shown))
    chosen = html.unescape(editor.get(html.unescape(link)).text)
    listed = chosen[chosen.index('id="chosen"') : chosen.index("<h2>Fields")]
    assert "2 mentions in this document" in listed
    assert re.findall(r"<q>(.*?)</q>", listed) == ["Acme Ltd", "ACME LTD"]
    assert f'href="/entities/{acme}"' in listed
    assert chosen.count('class="thing organisation unconfirmed chosen"') == 2
    by_entity = editor.get(f"/documents/{contract}?entity={acme}").text
    assert "2 mentions in this document" in by_entity
    for nothing in ("mention=999999", f"entity={contract}", "entity=x"):
        assert 'id="chosen"' not in editor.get(f"/documents/{contract}?{nothing}").text


def test_entity_link_opens_the_page_of_its_first_mention(
    editor: Client, contract: UUID, acme: UUID, workspace: UUID, database: Database
) -> None:
    with database.transaction() as conn:
        pages = (Page(1, "A cover."), Page(2, TEXT))
        results.save_extracted(conn, contract, workspace, ExtractedText(pages))
        conn.execute("UPDATE mentions SET page = 2 WHERE document_id = %s", (contract,))
    assert 'aria-label="Text of page 2"' in editor.get(f"/documents/{contract}?entity={acme}").text
    assert 'aria-label="Text of page 1"' in editor.get(f"/documents/{contract}?page=1&entity={acme}").text
    assert 'aria-label="Text of page 1"' in editor.get(f"/documents/{contract}?entity={contract}").text


def test_selected_amount_lists_its_mentions(editor: Client, contract: UUID) -> None:
    shown = editor.get(f"/documents/{contract}").text
    (link,) = re.findall(r'class="thing money" href="([^"]+)"', shown)
    chosen = editor.get(html.unescape(link)).text
    assert "1 mention in this document" in chosen
    assert "<q>900 EUR</q>" in chosen


def _first_mention(person: Client, contract: UUID) -> int:
    document_facts = person.get(f"/api/v1/documents/{contract}/facts").json()
    return int(document_facts["mentions"][0]["id"])


def test_form_confirms_rejects_and_undoes(editor: Client, contract: UUID) -> None:
    mention = _first_mention(editor, contract)
    back = f"/documents/{contract}?page=1&mention={mention}#chosen"
    answer = editor.post(f"/mentions/{mention}/confirm", back=back)
    assert (answer.status_code, answer.headers["location"]) == (303, back)
    page = editor.get(back).text
    assert "Mention confirmed." in page
    assert 'class="thing organisation confirmed chosen"' in page
    assert f'action="/mentions/{mention}/undo"' in page
    editor.post(f"/mentions/{mention}/reject", back=back)
    page = editor.get(back).text
    assert page.count("<title>Organisation: Acme Ltd") == 1, "rejected mentions are not marked"
    assert '<li class="rejected">' in page
    editor.post(f"/mentions/{mention}/undo", back=back)
    assert editor.get(back).text.count("<title>Organisation: Acme Ltd") == 2


def test_rejects_a_relation_by_form(editor: Client, contract: UUID) -> None:
    (relation,) = editor.get(f"/api/v1/documents/{contract}/facts").json()["relations"]
    answer = editor.post(f"/relations/{relation['id']}/reject", back="//elsewhere.example/")
    assert answer.headers["location"] == "/entities", "redirects stay on this site"
    assert f'action="/relations/{relation["id"]}/undo"' in editor.get(f"/documents/{contract}").text


def test_viewer_sees_no_buttons_and_cannot_decide(viewer: Client, editor: Client, contract: UUID) -> None:
    mention = _first_mention(editor, contract)
    page = viewer.get(f"/documents/{contract}?mention={mention}").text
    assert "data-judge" not in page
    assert "Not checked" in page
    assert viewer.post(f"/mentions/{mention}/confirm").status_code == 403
    assert editor.http.post(f"/mentions/{mention}/confirm").status_code == 403, "no token"


def test_entity_page_shows_mentions_and_relations(editor: Client, outsider: Client, contract: UUID, acme: UUID) -> None:
    page = html.unescape(editor.get(f"/entities/{acme}").text)
    assert "<h1>Acme Ltd</h1>" in page
    assert 'ACME LTD <span class="count">1</span>' in page
    places = re.findall(rf'href="/documents/{contract}\?page=1&mention=\d+#pages">Contract, page 1</a>', page)
    assert len(places) == 2
    assert f'<a href="/documents/{contract}">Contract</a>' in page
    assert outsider.get(f"/entities/{acme}").status_code == 404
    assert editor.get("/entities/nonsense").status_code == 404


def test_finds_entities_by_name_and_kind(editor: Client, outsider: Client, acme: UUID) -> None:
    assert f'<a href="/entities/{acme}">Acme Ltd</a>' in editor.get("/entities").text
    assert "Acme Ltd</a>" in editor.get("/entities?name=acm&kind=organisation").text
    assert "Acme Ltd</a>" not in editor.get("/entities?kind=person").text
    assert "No matching entities" in editor.get("/entities?name=%21").text
    assert editor.get("/entities?kind=spoon").status_code == 400
    assert "Acme" not in outsider.get("/entities").text


def test_merges_possible_duplicates_by_form(
    editor: Client, contract: UUID, acme: UUID, database: Database, workspace: UUID
) -> None:
    with database.transaction() as conn:
        whole = documents.get_document(conn, contract)
        other = CanonicalMention(Mention("organisation", Span(1, 0, 4), "Acme", "Acme", 0.5, "model"), "acme holding")
        facts.save_canonical_mentions(conn, whole, [])
        facts.save_relations(conn, whole, [], [CanonicalMention(other.mention, other.key, "party")])
        twin = facts.entity_id(workspace, EntityKey("organisation", other.key))
        merges.propose_merges(
            conn, [merges.Proposal(workspace, "organisation", acme, twin, "The names are similar.", 0.91)]
        )
    page = editor.get("/entities").text
    assert "Possible duplicates" in page
    assert "The names are similar." in page
    (path,) = re.findall(r'action="(/entities/[^"]+/confirm)"', page)
    assert editor.post(path, back=f"/entities/{acme}").status_code == 303
    pages = [editor.get(f"/entities/{each}") for each in (acme, twin)]
    assert sorted(page.status_code for page in pages) == [200, 303], "one redirects to the other"
    (page,) = [page.text for page in pages if page.status_code == 200]
    assert "merged by editor@example.org" in page
    editor.post(path.replace("/confirm", "/undo"))
    assert [editor.get(f"/entities/{each}").status_code for each in (acme, twin)] == [200, 200]


def test_shows_an_uncertain_type(shelf: Library, workspace: UUID, editor: Client, database: Database) -> None:
    document = shelf.add_processed(workspace, "odd.txt", "Nothing to go by.")
    record_classification(database, workspace, document)
    assert "<dd>Uncertain" in editor.get(f"/documents/{document}").text
    assert "Type uncertain" in editor.get("/").text


def record_classification(
    database: Database, workspace: UUID, document: UUID, *evidence: TypeEvidence, stage: Stage = classify.STAGE
) -> None:
    """Record the result of a classification stage, with an uncertain type."""
    facts = make_classification_facts(Classification(None, "en", evidence=evidence))
    with database.transaction() as conn:
        conn.execute(
            "INSERT INTO stage_results (document_id, workspace_id, stage, version, outcome, job_id, fence,"
            " worker_id, seconds, facts) VALUES (%s, %s, %s, %s, 'done', %s, 1, %s, 1, %s)",
            (document, workspace, stage.name, stage.version, document, document, Jsonb(facts)),
        )


def test_uncertain_type_shows_evidence_for_each_candidate(
    shelf: Library, workspace: UUID, editor: Client, database: Database
) -> None:
    document = shelf.add_processed(workspace, "odd.txt", "Dear Sirs, the governing law.")
    dear = TypeEvidence("Dear", Span(1, 0, 4), 2.0, "letter")
    law = TypeEvidence("governing law", Span(1, 15, 28), 1.8, "contract")
    record_classification(database, workspace, document, dear, law)
    page = html.unescape(editor.get(f"/documents/{document}").text)
    assert 'Uncertain <span class="sure">possibly letter or contract</span>' in page
    assert page.index("For letter:") < page.index(">Dear</a>” on page 1") < page.index("For contract:")
    evidence = editor.get(f"/api/v1/documents/{document}/facts").json()["evidence"]
    assert [(each["type"], each["phrase"], each["page"]) for each in evidence] == [
        ("letter", "Dear", 1),
        ("contract", "governing law", 1),
    ]
    with database.transaction() as conn:
        conn.execute("UPDATE documents SET type = 'letter', type_confidence = 1 WHERE id = %s", (document,))
    page = editor.get(f"/documents/{document}").text
    assert "governing law</a>" not in page, "evidence for another type is not shown"


def test_evidence_links_to_its_passage(editor: Client, contract: UUID, workspace: UUID, database: Database) -> None:
    pays, by_format = TypeEvidence("pays <b>", Span(1, 9, 13), 2.0), TypeEvidence("format", None, 1.0)
    record_classification(database, workspace, contract, pays, by_format)
    page = editor.get(f"/documents/{contract}").text
    assert f'“<a href="/documents/{contract}?page=1&amp;start=9&amp;end=13#pages">pays &lt;b&gt;</a>” on page 1' in page
    assert "<li>format</li>" in page


def test_shows_evidence_of_the_effective_classification(
    shelf: Library, workspace: UUID, editor: Client, database: Database
) -> None:
    document = shelf.add_processed(workspace, "odd.txt", "Dear Sirs, the governing law.")
    page = f"/documents/{document}"
    outdated = replace(classify.STAGE, version=classify.STAGE.version - 1)
    record_classification(database, workspace, document, TypeEvidence("Sirs", None, 1.0, "letter"), stage=outdated)
    assert "Sirs</li>" not in editor.get(page).text, "results of older stage versions are ignored"
    record_classification(database, workspace, document, TypeEvidence("Dear", None, 2.0, "letter"))
    assert "<li>Dear</li>" in editor.get(page).text
    law = TypeEvidence("governing law", None, 2.0, "contract")
    record_classification(database, workspace, document, law, stage=classify_ai.STAGE)
    shown = editor.get(page).text
    assert ("<li>governing law</li>" in shown, "<li>Dear</li>" in shown) == (True, False)


def test_list_shows_types_and_filters_by_type(editor: Client, contract: UUID, shelf: Library, workspace: UUID) -> None:
    shelf.add_processed(workspace, "odd.txt", "Nothing to go by.", "Oddity")
    page = html.unescape(editor.get("/").text)
    assert "Contract · 5\xa0Mar 2026 · very high confidence, 97\xa0%" in page
    assert '<span class="gist">Acme pays.</span>' in page
    assert '<option value="contract">Contract (1)</option>' in page
    assert '<option value="not_sure">Uncertain (1)</option>' in page
    contracts, uncertain = editor.get("/?type=contract").text, editor.get("/?type=not_sure").text
    assert ("contract.pdf" in contracts, "Oddity" in contracts) == (True, False)
    assert ("contract.pdf" in uncertain, "Oddity" in uncertain) == (False, True)
    assert 'href="/?status=completed&amp;type=contract"' in contracts
    assert "No documents of this type." in editor.get("/?type=%3Cb%3E").text
    listed = editor.get("/api/v1/documents?type=contract").json()["documents"]
    assert [each["id"] for each in listed] == [str(contract)]


def test_filters_search_results_by_facts(
    editor: Client, contract: UUID, acme: UUID, shelf: Library, workspace: UUID
) -> None:
    shelf.add_processed(workspace, "other.txt", "Acme pays nobody.", "Other")
    page = editor.get(f"/search?entity={acme}").text
    assert "1 document" in page
    assert "Mentions: Acme Ltd" in page
    assert f'href="/documents/{contract}?entity={acme}#pages"' in page
    assert '<option value="total">Total</option>' in page
    assert f'href="/search?entity={acme}&amp;type=contract"' in page
    for narrowed, found in (
        ("field=total&sign=%3E&value=800", True),
        ("field=total&sign=%3E&value=900", False),
        ("type=contract&field=total&value=900", True),
        ("type=invoice", False),
        ("entity=acme", True),
        ('entity=a"cme', False),
    ):
        assert ("contract.pdf" in editor.get(f"/search?{narrowed}").text) == found, narrowed
    for wrong in ("field=To%20tal&value=1", "field=total&sign=~&value=1"):
        assert editor.get(f"/search?{wrong}").status_code == 400
