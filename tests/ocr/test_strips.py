"""Long images are read in strips; each line is read once and at its position."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

from docyard.ocr.lines import OcrLine, OcrWord
from docyard.ocr.strips import MAX_LENGTH, read_strips, render_length


def ruler(width: int, height: int, every: int) -> Image.Image:
    """Return an image with a dark band for each line; the shade encodes the line number."""
    shades = np.full((height, width), 255, np.uint8)
    for number, top in enumerate(range(5, height - 12, every)):
        shades[top : top + 12] = number % 250
    return Image.fromarray(shades).convert("RGB")


def read_bands(image: Any) -> list[OcrLine]:
    """Return each band as a line; a band that is cut off yields a shorter line."""
    column = np.asarray(image)[:, 0, 0]
    edges = np.flatnonzero(np.diff(column.astype(int), prepend=255, append=255))
    return [
        OcrLine((OcrWord(str(column[top]), 0.0, float(top), 9.0, float(bottom), 1.0),))
        for top, bottom in zip(edges[::2], edges[1::2], strict=True)
    ]


def test_reads_every_line_of_a_long_image_once_and_at_its_position() -> None:
    image = ruler(100, 3000, every=23)
    (whole, strips) = read_bands(image), read_strips(read_bands, image)
    assert len(whole) > 100
    assert strips == whole


def test_reads_other_images_whole() -> None:
    seen: list[tuple[int, int]] = []

    def engine(image: Any) -> list[OcrLine]:
        seen.append(image.size)
        return []

    assert read_strips(engine, Image.new("RGB", (100, 290))) == []
    assert seen == [(100, 290)]
    assert render_length(595, 842, 2048) == 2048
    assert render_length(500, 4000, 2048) == 16384
    assert render_length(1, 100_000, 2048) == MAX_LENGTH
