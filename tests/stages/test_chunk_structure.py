"""Chunks follow headings, paragraphs and tables, from Markdown and from blocks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.model.stage_values import Chunk, ExtractedText
from docyard.model.text.blocks import Block, pack_blocks
from docyard.model.text.pages import Page
from docyard.model.text.units import TokenCounter
from docyard.stages import chunk
from tests.builders import stage_inputs as making

SENTENCE = "The harbour master writes down every ship that comes in. "


def chunks(*pages: Page) -> tuple[Chunk, ...]:
    return chunk.run(making.make_input(ExtractedText(pages))).chunks


def chunk_texts(*texts: str) -> tuple[Chunk, ...]:
    return chunks(*(Page(number, text) for number, text in enumerate(texts, start=1)))


def table(rows: int, words: str = "cell") -> str:
    lines = [f"| {words} {row} | {row * 7} |" for row in range(rows)]
    return "\n".join(["| Name | Count |", "| --- | --- |", *lines])


def test_a_chunk_has_the_headings_of_its_section() -> None:
    found = chunk_texts(
        f"# Ports\n\n{SENTENCE * 8}\n\n## Docks\n\n{SENTENCE * 8}", f"{SENTENCE * 8}\n\n# Ships #\n\nFew."
    )
    assert [(each.page, each.heading) for each in found] == [
        (1, "Ports"),
        (1, "Ports › Docks"),
        (2, "Ports › Docks"),
        (2, "Ships"),
    ]
    assert [each.text.splitlines()[0] for each in found if each.page == 1] == ["# Ports", "## Docks"]


def test_no_heading_is_left_alone() -> None:
    found = chunk_texts(f"# One\n\n## Two\n\n{SENTENCE * 40}")
    assert found[0].text.startswith("# One\n\n## Two\n\nThe harbour")
    assert {each.heading for each in found} == {"One › Two"}


def test_a_table_that_fits_stays_whole() -> None:
    text = f"{SENTENCE * 9}\n\n{table(15)}\n\n{SENTENCE * 9}"
    assert table(15) in "\n\n".join(each.text for each in chunk_texts(text) if "cell" in each.text)
    assert sum("| cell" in each.text for each in chunk_texts(text)) == 1


def test_a_table_that_is_too_large_is_split_between_rows() -> None:
    text = table(200)
    found = chunk_texts(text)
    assert len(found) > 3
    assert all(each.text.startswith("|") and each.text.endswith("|") for each in found)
    assert "\n".join(each.text for each in found) == text


def test_blocks_mark_headings_in_plain_text() -> None:
    text = f"Title\n{SENTENCE * 8}\nOther\n{SENTENCE * 8}"
    other = text.index("Other")
    blocks = [
        Block("heading", 0, 5, 1),
        Block("paragraph", 6, other - 1),
        Block("heading", other, other + 5, 2),
        Block("paragraph", other + 6, len(text)),
    ]
    found = chunks(Page(1, text, blocks=pack_blocks(blocks)))
    assert [(each.heading, each.text[:5]) for each in found] == [("Title", "Title"), ("Title › Other", "Other")]


def test_a_table_of_blocks_is_split_only_between_rows() -> None:
    row = "left cell right cell"
    text = "\n".join([row] * 150)
    blocks = [Block("table", 0, len(text))]
    for start in range(0, len(text), len(row) + 1):
        blocks += [
            Block("row", start, start + 9),
            Block("cell", start, start + 9, 0),
            Block("cell", start + 10, start + len(row), 1),
        ]
    found = chunks(Page(1, text, blocks=pack_blocks(blocks)))
    assert len(found) > 2
    assert all(each.text.startswith("left") and each.text.endswith("right cell") for each in found)


parts = st.sampled_from(
    [
        "# Head\n",
        "\n### Deep ##\n",
        "word ",
        SENTENCE,
        "\n\n",
        table(4) + "\n",
        table(60) + "\n",
        "|",
        "```\n",
        "x" * 900,
    ]
)
texts = st.lists(st.tuples(parts, st.integers(1, 12)), max_size=10).map(
    lambda chosen: "".join(part * times for part, times in chosen)
)
spans = st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 900), st.integers(0, 7)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(texts, spans)
def test_every_character_is_in_exactly_one_chunk_with_any_blocks(text: str, marks: list[tuple[int, int, int]]) -> None:
    """Blocks come from readers of untrusted files, so any blocks must work."""
    kinds = ("paragraph", "heading", "item", "table", "row", "cell", "header", "footer")
    blocks = [Block(kinds[kind], start, start + length, kind) for start, length, kind in marks]
    for page in (Page(1, text), Page(1, text, blocks=pack_blocks(blocks))):
        covered = [False] * len(text)
        for each in chunks(page):
            assert each.text == text[each.start : each.end] == each.text.strip() != ""
            # A block may split a word, and the two parts may count as one more token.
            assert TokenCounter(each.text).count_tokens(0, len(each.text)) <= chunk.MAX_TOKENS + 1
            assert not any(covered[each.start : each.end])
            covered[each.start : each.end] = [True] * len(each.text)
        assert not "".join(character for character, done in zip(text, covered, strict=True) if not done).strip()
