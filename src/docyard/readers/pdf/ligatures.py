"""Arabic letters that one sign of a font stands for together, in the order in which they are read.

pdfium turns a line that runs to the left around letter by letter, and with it the two letters of a lam-alef;
a search for the word would not find it.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from docyard.readers.pdf import pdfium_calls
from docyard.readers.pdf.pdfium_calls import OpenPage
from docyard.readers.pdf.words import Words

_LAM = "\u0644"
_TURNED = re.compile(f"[\u0622\u0623\u0625\u0627\u0671]{_LAM}")


def in_reading_order(words: Words, page: OpenPage) -> Words:
    """The words with such letters put right: they are those that have one box."""
    if _LAM not in words.text:  # which takes no time where there are no Arabic letters
        return words
    places = np.array([match.start() for match in _TURNED.finditer(words.text)], np.int64)
    of_word = np.searchsorted(words.starts, places, "right") - 1
    letters = words.letters[of_word] + places - words.starts[of_word]
    one, other = (pdfium_calls.loose_boxes(page.letters, each.tolist()) for each in (letters, letters + 1))
    text = list(words.text)
    for place in places[(one == other).all(axis=0)].tolist():
        text[place : place + 2] = text[place + 1], text[place]
    return replace(words, text="".join(text))
