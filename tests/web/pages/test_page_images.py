"""Page images and highlights of search words and passages."""

from __future__ import annotations

import io
from uuid import UUID

import pytest
from PIL import Image

from docyard.cli.run.samples import make_text_pdf
from docyard.db import Database
from docyard.model.stage_values import Chunk, Classification, ExtractedText, FetchedFile
from docyard.model.text.pages import Page, Word, pack_words
from docyard.search import find_spans
from docyard.store import documents, results
from docyard.web.view.highlights import clip_passage, highlight_boxes, highlight_text
from tests.builders.images import draw_lines, encode_tiff
from tests.web.site import Client, Library

TEXT = "The contracts bind both parties."
WORDS = (Word(4, 13, 50.0, 60.0, 120.0, 72.0), Word(14, 18, 124.0, 60.0, 150.0, 72.0))


@pytest.fixture
def contract(shelf: Library, workspace: UUID, database: Database) -> UUID:
    """A completed PDF."""
    data = make_text_pdf([TEXT])
    document = shelf.add_document(workspace, "contract.pdf", data)
    page = Page(1, TEXT, 595.0, 842.0, pack_words(WORDS))
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("application/pdf", len(data), "0" * 64))
        results.save_extracted(conn, document, workspace, ExtractedText((page,)))
        results.save_classified(conn, document, Classification("Contract", "en"))
        results.save_chunks(conn, document, workspace, [Chunk(0, 1, 0, len(TEXT), TEXT)], "en")
        documents.mark_completed(conn, document, 1.0)
    return document


def test_page_image_is_rendered_once_and_stored(editor: Client, contract: UUID, database: Database) -> None:
    path = f"/documents/{contract}/pages/1.png"
    first = editor.get(path)
    assert first.status_code == 200
    assert first.headers["content-type"] == "image/png"
    assert first.content.startswith(b"\x89PNG")
    assert first.headers["cache-control"] == "private, no-cache"
    assert editor.get(path, **{"If-None-Match": first.headers["etag"]}).status_code == 304
    with database.transaction() as conn:
        assert conn.execute("SELECT page FROM renditions").fetchall() == [{"page": 1}]
    assert editor.get(path).content == first.content
    for missing in ("2", "0", "x", "99999999999999999999"):
        assert editor.get(f"/documents/{contract}/pages/{missing}.png").status_code == 404, missing


def test_shows_each_page_of_a_multi_page_image(
    editor: Client, shelf: Library, workspace: UUID, database: Database
) -> None:
    data = encode_tiff(draw_lines(["One"], (300, 200)), draw_lines(["Two"], (400, 200)))
    document = shelf.add_document(workspace, "book.tiff", data)
    word = Word(0, 3, 50.0, 60.0, 120.0, 72.0)
    pages = (Page(1, "One", 300.0, 200.0), Page(2, "Two", 400.0, 200.0, pack_words([word])))
    with database.transaction() as conn:
        results.save_fetched(conn, document, FetchedFile("image/tiff", len(data), "0" * 64))
        results.save_extracted(conn, document, workspace, ExtractedText(pages))
        documents.mark_completed(conn, document, 1.0)
    picture = Image.open(io.BytesIO(editor.get(f"/documents/{document}/pages/2.png").content))
    assert (picture.format, picture.size) == ("PNG", (400, 200))
    shown = editor.get(f"/documents/{document}?page=2&start=0&end=3").text
    assert '<rect class="passage" x="49.00" y="59.00"' in shown
    assert f'src="/documents/{document}/pages/2.png" width="400" height="200"' in shown
    assert editor.get(f"/documents/{document}/pages/3.png").status_code == 404


def test_marks_search_words_in_every_form(editor: Client, contract: UUID) -> None:
    page = editor.get(f"/documents/{contract}?q=contract").text
    assert "The <mark>contracts</mark> bind" in page
    assert '<rect class="hit" x="49.00" y="59.00" width="72.00" height="14.00"' in page
    assert "was not found in this document" in editor.get(f"/documents/{contract}?q=walrus").text


def test_marks_the_requested_passage(editor: Client, contract: UUID) -> None:
    page = editor.get(f"/documents/{contract}?start=14&end=18").text
    assert '<span class="passage">bind</span>' in page
    assert page.count('<rect class="passage"') == 1


def test_hit_links_to_its_page_with_the_word_marked(editor: Client, contract: UUID) -> None:
    page = editor.get("/search?q=contract").text
    assert "1 document for" in page
    assert f'href="/documents/{contract}?page=1&amp;q=contract#pages"' in page
    hit = editor.get("/api/v1/search?q=contract").json()["hits"][0]
    (match,) = hit["matches"]
    assert hit["snippet"][match[0] : match[1]] == "contracts"
    assert "Nothing found" in editor.get("/search?q=walrus").text
    assert editor.get("/search?q=%00%22").status_code == 200
    assert "Type words" in editor.get("/search").text


@pytest.mark.parametrize(
    ("text", "forms", "found"),
    [
        ("contract contracts", {"contract"}, [(0, 8)]),
        ("non-disclosure of non", {"non", "non-disclosure"}, [(0, 14), (18, 21)]),
        ("a.b a+b", {"a+b"}, [(4, 7)]),
        ("anything", set(), []),
    ],
)
def test_finds_word_offsets(text: str, forms: set[str], found: list[tuple[int, int]]) -> None:
    assert find_spans(text, forms) == found


def test_overlapping_marks_and_passages_are_escaped() -> None:
    shown = highlight_text("a <b> c", [(2, 5)], (0, 3))
    assert shown == (
        '<span class="passage">a </span><span class="passage"><mark>&lt;</mark></span><mark>b&gt;</mark> c'
    )


def test_clips_passages_to_the_page() -> None:
    assert clip_passage("abc", 1, 99) == (1, 3)
    assert clip_passage("abc", 3, 9) is None
    assert clip_passage("abc", None, 9) is None


def test_boxes_cover_overlapping_words() -> None:
    page = Page(1, TEXT, 595, 842, pack_words(WORDS))
    assert [box.left for box in highlight_boxes(page, [(4, 13)], None)] == [50.0]
    assert [box.kind for box in highlight_boxes(page, [(4, 13)], (0, 20))] == ["passage", "passage", "hit"]
