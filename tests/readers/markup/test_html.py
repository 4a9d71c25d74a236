"""HTML pages as Markdown: structure is kept, code and hidden parts are left out, nothing is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.readers import markdown
from docyard.readers.markup import html_blocks
from tests.builders.file_reads import read_file, read_text


def to_markdown(body: str) -> str:
    return markdown.join_blocks(html_blocks.parse_html(body)[0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h2>A <b>b</b></h2><p>one<br>two  &amp;\n three</p>", "## A b\n\none\ntwo & three"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul><ol><li>d<li>e</ol>", "- a\n  - b\n- c\n\n1. d\n2. e"),
        ("<table><tr><th>a<th>b|c<tr><td colspan=2>1</table>", "| a | b\\|c |\n| --- | --- |\n| 1 |  |"),
        ("<table><tr><td><table><tr><td>laid<td>out</table></table>", "laid\n\nout"),
        ("<table><tr><td>one row<td>only</table>", "one row\n\nonly"),
        ("<table><tr><td><td>laid<td><tr><td><td>out<td><tr><td>a<td>b</table>", "laid\n\nout\n\na\n\nb"),
        (
            "<table><tr><td>laid out<table><tr><td>a<td>b<tr><td>1<td>2</table></table>",
            "laid out\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        (
            "<table><tr><td rowspan=3>a<td>b<td rowspan=2>c<tr><td>d<tr><td>e<td>f</table>",
            "| a | b | c |\n| --- | --- | --- |\n|  | d |  |\n|  | e | f |",
        ),
        ("<body><noscript>Turn <b>scripts</b> on.</noscript><img alt='Our sale'>", "Turn scripts on.\n\nOur sale"),
        ("<frameset><frame><noframes><body>Old <i>text</i></body></noframes></frameset>", "Old text"),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", "x=1"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("see <a href='http://example.org/'>this</a>", "see this"),
        ("<span>a<p>b</p>c</span>", "a\n\nb\n\nc"),
        ("x<script>alert(1)</script><style>p{}</style><nav>Home</nav><noscript>no</noscript>", "x"),
        ("<p hidden>a<p style='display: none'>b<p>c", "c"),
        ("<!-- a --><p>b<!-- c -->d", "bd"),
        ("&lt;script&gt; &unknown; &#x41;", "<script> &unknown; A"),
    ],
)
def test_keeps_the_structure(body: str, expected: str) -> None:
    assert to_markdown(body) == expected


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "blockquote"])
def test_reads_extreme_nesting_without_overflow_or_delay(tag: str) -> None:
    assert "deep" in to_markdown(f"<{tag}>" * 20_000 + "deep")


def test_distinguishes_deep_nesting_from_a_long_page() -> None:
    assert html_blocks._is_nested_too_deeply("<div>" * 3000)
    assert not html_blocks._is_nested_too_deeply("<div><ul><li>a</ul></div>" * 3000)


@given(st.text(alphabet=st.sampled_from("<>/abtdrulip \"'=&;!-\n"), max_size=200))
def test_reads_any_tag_soup(soup: str) -> None:
    to_markdown(soup)


@given(st.lists(st.text(alphabet="abcäß", min_size=1), min_size=1))
def test_neither_loses_nor_joins_words(words: list[str]) -> None:
    assert to_markdown("".join(f"<div><b>{word}</b></div>" for word in words)).split() == words


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", ""),
        ("utf-16", ""),
        ("cp1251", "<meta charset=windows-1251>"),
        ("euc-jp", '<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP">'),
        ("utf-8", "<meta charset=no-such-charset>"),
        ("utf-8", '<meta charset="utf-16le">'),
        ("utf-8", '<meta charset="iso-8859-1">'),
    ],
)
def test_decodes_declared_and_detected_charsets(tmp_path: Path, encoding: str, declared: str) -> None:
    words = "日本語の文書です" if encoding == "euc-jp" else "Пример текста"
    page = f"<html><head>{declared}<title>{words}</title></head><body>{words}</body></html>"
    found = read_file(tmp_path, page.encode(encoding))
    assert (found.pages[0].text, found.metadata_title) == (words, words)


def test_reads_html_fragments_and_xhtml(tmp_path: Path) -> None:
    assert read_text(tmp_path, b"<div><p>a</p><p>b</p></div>") == "a\n\nb"
    xhtml = b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "http://example.org/x.dtd"><html><body>c</body></html>'
    assert read_text(tmp_path, xhtml) == "c"


def test_reads_the_texts_of_svg_drawings(tmp_path: Path) -> None:
    words = "<title>Map</title><g><text>north <tspan>gate</tspan></text></g>"
    found = read_file(tmp_path, f'<svg xmlns="http://www.w3.org/2000/svg">{words}</svg>'.encode())
    assert (found.pages[0].text, found.metadata_title) == ("Map\n\nnorth gate", "Map")


def test_limits_cells_with_large_spans() -> None:
    table = "<table><tr>" + "<td rowspan=100 colspan=100>x" * 300 + "<tr><td>y" * 100 + "</table>"
    assert len(to_markdown(table)) < 1_000_000
