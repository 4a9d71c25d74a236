"""Logical order of the characters of Arabic ligatures.

pdfium reverses a right-to-left line character by character. This also swaps the two characters of a lam-alef
ligature, so that a search would not find the word.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from docyard.readers.pdf import pdfium_calls
from docyard.readers.pdf.pdfium_calls import OpenPage
from docyard.readers.pdf.words import Words

_LAM = "\u0644"
_REVERSED = re.compile(f"[\u0622\u0623\u0625\u0627\u0671]{_LAM}")


def fix_ligature_order(words: Words, page: OpenPage) -> Words:
    """Swap the two characters of each reversed ligature, recognised by the box that they share."""
    if _LAM not in words.text:  # fast exit for text without Arabic
        return words
    offsets = np.array([match.start() for match in _REVERSED.finditer(words.text)], np.int64)
    word_indexes = np.searchsorted(words.starts, offsets, "right") - 1
    char_indexes = words.first_chars[word_indexes] + offsets - words.starts[word_indexes]
    first_boxes, second_boxes = (
        pdfium_calls.read_loose_boxes(page.text_page, each.tolist()) for each in (char_indexes, char_indexes + 1)
    )
    text = list(words.text)
    for offset in offsets[(first_boxes == second_boxes).all(axis=0)].tolist():
        text[offset : offset + 2] = text[offset + 1], text[offset]
    return replace(words, text="".join(text))
