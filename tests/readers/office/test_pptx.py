"""PowerPoint presentations (PPTX): a page for each slide, in presentation order."""

from __future__ import annotations

import io
from pathlib import Path

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from tests.builders.file_reads import read_file
from tests.builders.office.packages import content_types, make_zip, relationships

TITLE_AND_BODY, BLANK = 1, 6
PRESENTATION = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def presentation() -> bytes:
    made = Presentation()
    made.core_properties.title = "Plan"
    first = made.slides.add_slide(made.slide_layouts[TITLE_AND_BODY])
    first.shapes.title.text = "Why"
    first.placeholders[1].text = "one\ntwo"
    first.placeholders[1].text_frame.paragraphs[1].level = 1
    first.notes_slide.notes_text_frame.text = "say it slowly"
    second = made.slides.add_slide(made.slide_layouts[BLANK])
    table = second.shapes.add_table(2, 2, 0, 0, Inches(4), Inches(1)).table
    for row, column, words in ((0, 0, "a"), (0, 1, "b"), (1, 0, "1"), (1, 1, "2")):
        table.cell(row, column).text = words
    second.shapes.add_group_shape().shapes.add_textbox(0, 0, 10, 10).text_frame.text = "grouped"
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["North", "South"]
    data.add_series("Sales", (3, 5))  # type: ignore[no-untyped-call]
    second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 10, 10, data)
    made.slides.add_slide(made.slide_layouts[BLANK])
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def test_reads_each_slide_as_a_page(tmp_path: Path) -> None:
    found = read_file(tmp_path, presentation())
    first, second, third = (page.text for page in found.pages)
    assert found.metadata_title == "Plan"
    assert first == "## Why\n\n- one\n  - two\n\nNotes: say it slowly"
    assert "| a | b |\n| --- | --- |\n| 1 | 2 |" in second
    assert "\ngrouped\n" in second
    assert {"North", "South", "Sales", "3", "5"} <= set(second.split())
    assert third == ""


def test_orders_slides_by_the_slide_list_not_by_name(tmp_path: Path) -> None:
    def slide(words: str) -> str:
        shape = f"<p:sp><p:nvSpPr/><p:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></p:txBody></p:sp>"
        return f'<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>{shape}</p:spTree></p:cSld></p:sld>'

    ids = "".join(f'<p:sldId id="{number}" r:id="{name}"/>' for number, name in enumerate("bac"))
    slide_list = f"<p:sldIdLst>{ids}</p:sldIdLst>"
    relations = (
        '<R><x Id="a" Type="t/slide" Target="slides/slide1.xml"/>'
        '<x Id="b" Type="t/slide" Target="slides/slide2.xml"/>'
        '<x Id="c" Type="t/slide" Target="slides/slide3.xml" TargetMode="External"/></R>'
    )
    made = make_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "ppt/presentation.xml": f'<p:presentation xmlns:p="p" xmlns:r="r">{slide_list}</p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations,
            "ppt/slides/slide1.xml": slide("made first"),
            "ppt/slides/slide2.xml": slide("shown first"),
            "ppt/slides/slide3.xml": slide("only named like the one outside"),
        }
    )
    assert [page.text for page in read_file(tmp_path, made).pages] == ["shown first", "made first"]


def test_comments_follow_their_slide(tmp_path: Path) -> None:
    slide = '<p:sld xmlns:p="p"><p:cSld><p:spTree/></p:cSld></p:sld>'
    old = '<p:l xmlns:p="p"><p:cm authorId="7" dt="2024-03-05T10:00"><p:text>Too long</p:text></p:cm></p:l>'
    new = (
        '<q:l xmlns:q="q" xmlns:a="a"><q:cm authorId="{A}"><q:replyLst><q:reply authorId="7"><q:txBody><a:p>'
        "<a:r><a:t>No</a:t></a:r></a:p></q:txBody></q:reply></q:replyLst><q:txBody><a:p><a:r><a:t>Why?</a:t></a:r></a:p>"
        "</q:txBody></q:cm></q:l>"
    )
    made = make_zip(
        {
            "[Content_Types].xml": content_types(PRESENTATION),
            "_rels/.rels": relationships(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r0"/>'
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relationships(
                ("slide", "slide1.xml"), ("commentAuthors", "old.xml"), ("authors", "new.xml")
            ),
            "ppt/old.xml": '<p:l xmlns:p="p"><p:cmAuthor id="7" name="Ann"/></p:l>',
            "ppt/new.xml": '<q:l xmlns:q="q"><q:author id="{A}" name="Bob"/></q:l>',
            "ppt/slide1.xml": slide,
            "ppt/_rels/slide1.xml.rels": relationships(("comments", "c1.xml"), ("comments", "c2.xml")),
            "ppt/c1.xml": old,
            "ppt/c2.xml": new,
        }
    )
    assert read_file(tmp_path, made).pages[0].text.split("\n\n") == [
        "Comment by Ann (2024-03-05): Too long",
        "Comment by Bob: Why?",
        "Comment by Ann: No",
    ]
