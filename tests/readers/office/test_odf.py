"""OpenDocument texts, presentations and spreadsheets as Markdown."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.builders.file_reads import read_file, read_rejection, read_text
from tests.builders.office.packages import make_zip, odf


def test_reads_headings_lists_tables_notes_and_spaces(tmp_path: Path) -> None:
    body = (
        '<text:h text:outline-level="2">Part\n  one</text:h>'
        "<text:p>two<text:s text:c='2'/>spaces<text:line-break/>and <text:span>a</text:span> line"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p></text:note-body>"
        "</text:note> end</text:p>"
        "<text:list><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item>"
        "</text:list></text:list-item></text:list>"
        "<table:table><table:table-header-rows><table:table-row>"
        "<table:table-cell><text:p>x</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="2"><text:p>y</text:p></table:table-cell>'
        "</table:table-row></table:table-header-rows><table:table-row>"
        "<table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>"
    )
    found = read_file(tmp_path, odf(body, title="Report"))
    assert found.metadata_title == "Report"
    assert found.pages[0].text == (
        "## Part one\n\ntwo  spaces\nand a line [why] end\n\n- a\n  - b\n\n"
        "| x | y | y |\n| --- | --- | --- |\n| 1 |  |  |"
    )


def test_skips_deleted_text(tmp_path: Path) -> None:
    body = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept</text:p>"
    assert read_text(tmp_path, odf(body)) == "kept"


def test_reads_each_slide_as_a_page(tmp_path: Path) -> None:
    def slide(title: str, words: str) -> str:
        box = "<draw:text-box><text:p>{}</text:p></draw:text-box>"
        frame = f'<draw:frame presentation:class="{{}}">{box}</draw:frame>'
        notes = f"<presentation:notes>{frame.format('notes', 'aside')}</presentation:notes>"
        return f"<draw:page>{frame.format('outline', words)}{frame.format('title', title)}{notes}</draw:page>"

    made = odf(slide("One", "first") + slide("Two", "second"), "presentation")
    assert [page.text for page in read_file(tmp_path, made).pages] == [
        "## One\n\nfirst\n\naside",
        "## Two\n\nsecond\n\naside",
    ]


def test_reads_sheets(tmp_path: Path) -> None:
    row = "<table:table-row>{}</table:table-row>"
    texts = "<table:table-cell office:value-type='string'><text:p>{}</text:p></table:table-cell>"
    body = "<table:table table:name='Data'>" + row.format(texts.format("a") + texts.format("b")) * 2 + "</table:table>"
    assert read_text(tmp_path, odf(body, "spreadsheet")).startswith("## Data\n\n| a | b |")


def test_rejects_encrypted_documents(tmp_path: Path) -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    kind = "application/vnd.oasis.opendocument.text"
    made = make_zip({"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": b"\x93\x17"})
    assert read_rejection(tmp_path, made) == ("encrypted", "The file needs a password.")


def test_keeps_comments_headers_and_footers(tmp_path: Path) -> None:
    body = (
        "<text:p>one<office:annotation><dc:creator xmlns:dc='d'>Ann</dc:creator><dc:date xmlns:dc='d'>"
        "2024-03-05T10:00</dc:date><text:p>Why?</text:p></office:annotation></text:p>"
        "<table:table><table:table-row><table:table-cell><table:table><table:table-row><table:table-cell>"
        "<text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>"
        "</table:table-row></table:table></table:table-cell><table:table-cell><text:p>c</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    styles = (
        "<o:s xmlns:o='o'><o:master-styles><o:master-page><o:header><o:p>Ref 4711</o:p></o:header>"
        "<o:footer><o:p>7</o:p><o:p>Ref 4711</o:p></o:footer></o:master-page></o:master-styles></o:s>"
    )
    expected = "one [Comment by Ann (2024-03-05): Why?]\n\n| a b | c |\n| --- | --- |\n\nRef 4711"
    assert read_text(tmp_path, odf(body, styles=styles)) == expected
    assert read_text(tmp_path, odf("<text:p>one</text:p>", styles="<damaged")) == "one"


def test_reads_flat_documents(tmp_path: Path) -> None:
    flat = (
        '<?xml version="1.0"?>\n<office:document xmlns:office="urn:oasis:names:tc:opendocument" '
        'xmlns:text="t" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>'
        "<text:h>Part</text:h><text:p>one</text:p></office:text></office:body></office:document>"
    )
    assert read_text(tmp_path, flat.encode()) == "# Part\n\none"
    assert read_rejection(tmp_path, flat.replace("</text:h>", "").encode())[0] == "corrupt"


def test_keeps_the_order_of_text_boxes_in_a_paragraph(tmp_path: Path) -> None:
    box = "<draw:text-box><text:p>{}</text:p></draw:text-box>"
    body = f"<text:p>before<draw:g>{box.format('first')}{box.format('second')}</draw:g></text:p>"
    assert read_text(tmp_path, odf(body)) == "before\n\nfirst\n\nsecond"


def test_reads_a_heading_with_an_invalid_level(tmp_path: Path) -> None:
    made = odf(
        f"<text:h text:outline-level='{'9' * 5000}'>Part one</text:h><text:p>a<text:s text:c='{'9' * 5000}'/>b</text:p>"
    )
    assert read_text(tmp_path, made) == "# Part one\n\na b"


def test_reads_a_document_with_damaged_metadata(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(odf("<text:p>Hello</text:p>", title="A title"))) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    assert read_text(tmp_path, make_zip(members | {"meta.xml": b"<office"})) == "Hello"
