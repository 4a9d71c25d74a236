"""Word documents (DOCX) as Markdown."""

from __future__ import annotations

from pathlib import Path

from tests.builders.file_reads import read_file, read_text
from tests.builders.office.packages import docx, make_zip, paragraph, relationships


def numbered(depth: int) -> str:
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'


def table(*rows: str) -> str:
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"


def cell(words: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(words)}</w:tc>"


def test_finds_headings_by_style_inheritance_and_outline_level(tmp_path: Path) -> None:
    body = (
        paragraph("One", '<w:pStyle w:val="H1"/>')
        + paragraph("Two", '<w:pStyle w:val="Mine"/>')
        + paragraph("Three", '<w:outlineLvl w:val="2"/>')
        + paragraph("plain")
    )
    found = read_file(tmp_path, docx(body, title="A title"))
    assert found.pages[0].text == "# One\n\n# Two\n\n### Three\n\nplain"
    assert found.metadata_title == "A title"


def test_survives_a_cycle_of_styles(tmp_path: Path) -> None:
    circle = '<w:style w:styleId="A"><w:basedOn w:val="A"/></w:style>'
    assert read_text(tmp_path, docx(paragraph("x", '<w:pStyle w:val="A"/>'), styles=circle)) == "x"


def test_lists_keep_depth_and_numbers(tmp_path: Path) -> None:
    body = "".join(paragraph(words, numbered(depth)) for words, depth in [("a", 0), ("b", 1), ("c", 1), ("d", 0)])
    assert read_text(tmp_path, docx(body)) == "- a\n  1. b\n  2. c\n- d"
    again = body + paragraph("e", numbered(1))
    assert read_text(tmp_path, docx(again)).endswith("- d\n  1. e")


def test_reads_tables_with_merged_cells(tmp_path: Path) -> None:
    body = table(
        cell("a") + cell("b|c"),
        cell("wide", '<w:gridSpan w:val="2"/>'),
        cell("", '<w:vMerge w:val="continue"/>') + cell("d"),
    )
    assert read_text(tmp_path, docx(body)) == "| a | b\\|c |\n| --- | --- |\n| wide |  |\n|  | d |"


def test_reads_a_single_cell_as_text(tmp_path: Path) -> None:
    assert read_text(tmp_path, docx(table(cell("in a box")))) == "in a box"


def test_skips_deleted_and_hidden_text_and_field_codes(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>too</w:t></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved away</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:instrText>PAGEREF</w:instrText></w:r><w:ins><w:r><w:t> added</w:t></w:r></w:ins></w:p>"
    )
    assert read_text(tmp_path, docx(body)) == "kept added"


def test_reads_notes_headers_and_footers_once(tmp_path: Path) -> None:
    body = '<w:p><w:r><w:t>said</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    made = docx(
        body,
        footnotes=f'<w:footnote w:type="separator" w:id="0"/><w:footnote w:id="2">{paragraph("why")}</w:footnote>',
        header1=paragraph("Ref. 4711"),
        header2=paragraph("Ref. 4711"),
        footer1=paragraph("7"),
    )
    assert read_text(tmp_path, made) == "said[^2]\n\n[^2]: why\n\nRef. 4711"


def test_keeps_comments_with_author_date_and_position(tmp_path: Path) -> None:
    mark = '<w:r><w:commentReference w:id="{}"/></w:r>'
    body = (
        f'<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Terms</w:t></w:r>{mark.format(0)}</w:p>'
        f'<w:p><w:commentRangeStart w:id="1"/><w:r><w:t>thirty days</w:t></w:r><w:commentRangeEnd w:id="1"/>'
        f"{mark.format(1)}<w:r><w:t> after delivery</w:t></w:r></w:p>"
    )
    comments = (
        f'<w:comment w:id="0" w:author="Anna  Keel" w:date="2026-11-03T10:00:00Z">{paragraph("too short")}'
        f'</w:comment><w:comment w:id="1">{paragraph("why")}{paragraph("not sixty?")}</w:comment>'
        '<w:comment w:id="2" w:author="Nobody"/>'
    )
    found = read_text(tmp_path, docx(body, comments=comments))
    assert found.split("\n\n") == [
        "# Terms",
        "thirty days[^c1] after delivery",
        "[^c0]: Comment by Anna Keel (2026-11-03): too short",
        "[^c1]: Comment: why not sixty?",
    ]


def test_text_boxes_follow_their_paragraph_once(tmp_path: Path) -> None:
    box = f"<w:drawing><w:txbxContent>{paragraph('boxed')}</w:txbxContent></w:drawing>"
    either = f"<w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback>"
    body = f"<w:p><w:r><w:t>around</w:t></w:r><w:r>{either}</w:r></w:p>"
    assert read_text(tmp_path, docx(body)) == "around\n\nboxed"


def test_reads_charts_and_diagrams(tmp_path: Path) -> None:
    def points(kind: str, *values: str) -> str:
        cached = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values))
        return f"<c:{kind}>{cached}</c:{kind}>"

    series = (
        "<c:ser><c:tx><c:v>Sales</c:v></c:tx>"
        + points("cat", "North", "South")
        + points("val", "4.4000000000000004", "5")
    )
    chart = f'<c:chart xmlns:c="c"><c:title><c:t>By region</c:t></c:title>{series}</c:ser></c:chart>'
    body = '<d xmlns:w="w" xmlns:r="r" xmlns:c="c"><w:body><w:p><w:r><w:t>See</w:t><c:chart r:id="r0"/>'
    made = make_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "word/document.xml": f'{body}<c:relIds r:dm="r1"/></w:r></w:p></w:body></d>',
            "word/_rels/document.xml.rels": relationships(("chart", "chart.xml"), ("diagramData", "data.xml")),
            "word/chart.xml": chart,
            "word/data.xml": "<d><t>one</t><t>two</t><t>one</t></d>",
        }
    )
    table = "|  | Sales |\n| --- | --- |\n| North | 4.4 |\n| South | 5 |"
    assert read_text(tmp_path, made) == f"See\n\nBy region\n\n{table}\n\none\ntwo"


def test_splits_long_documents_between_paragraphs(tmp_path: Path) -> None:
    body = "".join(paragraph(f"{number} " + "word " * 200) for number in range(60))
    pages = read_file(tmp_path, docx(body)).pages
    assert len(pages) > 1
    assert all(page.text[0].isdecimal() and len(page.text) <= 20_000 for page in pages)


def test_finds_a_main_part_with_another_name(tmp_path: Path) -> None:
    body = '<d xmlns:w="w"><w:body><w:p><w:r><w:t>strict</w:t></w:r></w:p></w:body></d>'
    made = make_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relationships(("officeDocument", "/word/other.xml")),
            "word/other.xml": body,
        }
    )
    assert read_text(tmp_path, made) == "strict"


def test_reads_form_fields_symbols_and_wordart(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:fldChar><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r>"
        "<w:r><w:t>yes</w:t></w:r><w:r><w:fldChar><w:ffData><w:checkBox><w:default w:val='0'/></w:checkBox>"
        "</w:ffData></w:fldChar></w:r><w:r><w:t>no</w:t></w:r></w:p>"
        "<w:p><w:r><w:fldChar><w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='Bonn'/>"
        "<w:listEntry w:val='Aachen'/></w:ddList></w:ffData></w:fldChar></w:r></w:p>"
        "<w:p><w:r><w:t>5 </w:t><w:sym w:font='Symbol' w:char='F06D'/><w:t>m </w:t>"
        "<w:sym w:font='Wingdings' w:char='F0FE'/></w:r></w:p>"
        "<w:p><w:r><w:pict><v:textpath xmlns:v='urn:v' string='SAMPLE'/></w:pict></w:r></w:p>"
    )
    assert read_text(tmp_path, docx(body)) == "☒yes☐no\n\nAachen\n\n5 μm ☑\n\nSAMPLE"


def test_reads_a_nested_table_row_by_row(tmp_path: Path) -> None:
    inner = table(cell("a") + cell("b"), cell("c") + cell("d"))
    body = table(cell("x") + f"<w:tc>{inner}{paragraph('')}</w:tc>", cell("y") + cell("z"))
    assert read_text(tmp_path, docx(body)) == "| x | a b; c d |\n| --- | --- |\n| y | z |"
