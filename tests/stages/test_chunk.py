"""Chunks are exact slices of the text that contain every word once."""

from __future__ import annotations

import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from docyard.model.stage_values import Chunk
from docyard.model.text.units import TokenCounter
from docyard.stages import chunk
from tests.builders import stage_inputs as making


def chunks(*texts: str) -> tuple[Chunk, ...]:
    return chunk.run(making.make_input(making.make_extracted(*texts))).chunks


# Repeating a few parts makes long and varied texts that Hypothesis can still shrink.
parts = st.sampled_from(
    ["word ", "a", "\n", "\n\n", ". ", " \t", "x" * 700, "longer-word ", "漢字。", "\x1f", "y" * 1300]
)
texts = st.lists(st.tuples(parts, st.integers(1, 120)), max_size=12).map(lambda parts: "".join(p * n for p, n in parts))


@settings(max_examples=150, deadline=None)
@given(st.lists(texts, max_size=3))
def test_every_word_is_in_exactly_one_chunk(pages: list[str]) -> None:
    found = chunks(*pages)
    assert [each.ordinal for each in found] == list(range(len(found)))
    for number, text in enumerate(pages, start=1):
        own = [each for each in found if each.page == number]
        assert all(each.text == text[each.start : each.end] for each in own)
        assert all(each.text == each.text.strip() != "" for each in own)
        uncovered = "".join(text[end:start] for end, start in find_gaps(own, len(text)))
        assert not uncovered.strip()
    assert found == chunks(*pages)


def weight(each: Chunk) -> int:
    return TokenCounter(each.text).count_tokens(0, len(each.text))


def find_gaps(own: list[Chunk], length: int) -> list[tuple[int, int]]:
    ends, starts = [0, *(each.end for each in own)], [*(each.start for each in own), length]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    return list(zip(ends, starts, strict=True))


@settings(max_examples=150, deadline=None)
@given(texts)
def test_splits_only_words_that_are_longer_than_a_chunk(text: str) -> None:
    short = [
        m
        for m in re.finditer(r"\S+", text)
        if TokenCounter(m.group()).count_tokens(0, len(m.group())) <= chunk.MAX_TOKENS
    ]
    whole, inside = {match.end() for match in short}, [match.span() for match in short]
    ends = {each.end for each in chunks(text)}
    assert not [end for end in ends - whole if any(start < end < stop for start, stop in inside)]
    assert all(weight(each) <= chunk.MAX_TOKENS and len(each.text) <= chunk.MAX_CHARS for each in chunks(text))


def test_chunks_end_at_paragraphs() -> None:
    paragraph = "Some words of a sentence that goes on. " * 7
    text = "\n\n".join([paragraph.strip()] * 12)
    found = chunks(text)
    assert len(found) > 2
    assert all(chunk.MAX_TOKENS / 2 < weight(each) <= chunk.MAX_TOKENS for each in found[:-1])
    assert all(text[each.end :].startswith("\n\n") for each in found[:-1])


def test_chunks_end_at_sentences_rather_than_words() -> None:
    found = chunks("These are seven words in one sentence. " * 100)
    assert len(found) > 2
    assert all(each.text.endswith("sentence.") for each in found)


def test_blank_text_has_no_chunks() -> None:
    assert chunks("", " \n\t ") == ()


def test_chunking_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        text = "some words and then more of them\n" * count
        start = time.process_time()
        chunks(text)
        return time.process_time() - start

    seconds(1000)
    # The minimum of several runs, because other load on the machine only adds to the time.
    long, short = (min(seconds(count) for _ in range(3)) for count in (80_000, 8_000))
    assert long < 30 * max(short, 0.002)
