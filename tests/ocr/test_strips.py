"""Long images are read in strips, with each line once and in its position."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from docyard.ocr.lines import SeenLine, SeenWord
from docyard.ocr.strips import LONGEST, length_for, read_strips


def ruler(width: int, height: int, every: int) -> Image.Image:
    """Return an image with a dark band for each line; the shade encodes the number of the line."""
    shades = np.full((height, width), 255, np.uint8)
    for number, top in enumerate(range(5, height - 12, every)):
        shades[top : top + 12] = number % 250
    return Image.fromarray(shades).convert("RGB")


def read_bands(picture: Any) -> list[SeenLine]:
    """Read bands instead of text; a band that is cut off counts as a shorter one."""
    column = np.asarray(picture)[:, 0, 0]
    edges = np.flatnonzero(np.diff(column.astype(int), prepend=255, append=255))
    return [
        SeenLine((SeenWord(str(column[top]), 0.0, float(top), 9.0, float(bottom), 1.0),))
        for top, bottom in zip(edges[::2], edges[1::2], strict=True)
    ]


def test_reads_every_line_of_a_long_image_once_and_in_its_position() -> None:
    picture = ruler(100, 3000, every=23)
    (whole, strips) = read_bands(picture), read_strips(read_bands, picture)
    assert len(whole) > 100
    assert strips == whole


def test_reads_other_images_whole() -> None:
    seen: list[tuple[int, int]] = []

    def engine(picture: Any) -> list[SeenLine]:
        seen.append(picture.size)
        return []

    assert read_strips(engine, Image.new("RGB", (100, 290))) == []
    assert seen == [(100, 290)]
    assert length_for(595, 842, 2048) == 2048
    assert length_for(500, 4000, 2048) == 16384
    assert length_for(1, 100_000, 2048) == LONGEST
