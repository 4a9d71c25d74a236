"""Blocks are joined into pages that end between blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docyard.model.limits import Limits
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown
from docyard.readers.attachment_limits import limit_attachments

blocks = st.lists(st.sampled_from(["word", "# Head", "- item", "two\nlines", "long " * 30, "x" * 300]), max_size=30)


@given(blocks, st.integers(50, 200))
def test_paging_keeps_every_word(given_blocks: list[str], page_chars: int) -> None:
    pages = list(markdown.split_into_pages(given_blocks, page_chars))
    assert "".join("".join(pages).split()) == "".join("".join(given_blocks).split())
    assert all(len(page) <= page_chars * 1.2 for page in pages)


def test_moves_heading_to_page_of_its_text() -> None:
    pages = list(markdown.split_into_pages(["a" * 80, "# Head", "b" * 80], 100))
    assert pages == ["a" * 80, "# Head\n\n" + "b" * 80]


def test_keeps_explicit_empty_pages() -> None:
    new = markdown.NEW_PAGE
    assert list(markdown.split_into_pages([new, "a", new, new, "b"], 100)) == ["a", "", "b"]


def test_removes_characters_that_postgresql_rejects() -> None:
    assert list(markdown.split_into_pages(["a\x00\x07b\ud800"], 100)) == ["ab\ufffd"]


def with_attachments(*sizes: int) -> ExtractedText:
    return ExtractedText((), attachments=tuple(Attachment(str(n), f"{n}.txt", size) for n, size in enumerate(sizes)))


def test_limits_attachments_with_notes() -> None:
    limits = Limits(upload_bytes=10, attachments=2, attachment_depth=2)
    assert limit_attachments(with_attachments(1, 2), 1, limits) == with_attachments(1, 2)
    cut = limit_attachments(with_attachments(1, 11, 2, 3), 0, limits)
    assert [each.size for each in cut.attachments] == [1, 2]
    assert cut.notes == (
        "Attachments not extracted because they exceed the upload size limit: 1.",
        "Only the first 2 of 3 attachments were extracted.",
    )
    deep = limit_attachments(with_attachments(1), 2, limits)
    assert deep.attachments == ()
    assert deep.notes == ("This document is nested inside 2 other documents; its attachments were not extracted.",)


def test_does_not_pad_many_rows_to_one_long_row() -> None:
    rows = [["x"] * 5000, *[["a", "b"]] * 5000]
    assert len(markdown.table(rows)) < 200_000
    assert markdown.table([["x", "y", "z"], ["a"]]) == "| x | y | z |\n| --- | --- | --- |\n| a |  |  |"
