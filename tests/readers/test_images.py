"""Images of every format and mode are decoded upright and scaled down; invalid ones are rejected."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, features

from docyard.errors import Reject
from docyard.readers.image_types import IMAGE_TYPES
from docyard.readers.images import reader as images
from docyard.readers.images.header_sizes import estimate_bytes
from tests.builders.heic_files import make_heic
from tests.builders.images import (
    SIZE,
    draw_lines,
    encode_image,
    encode_tiff,
    make_png_header,
    make_tiff,
    make_webp_header,
)

FORMATS = {"png": "PNG", "jpeg": "JPEG", "gif": "GIF", "webp": "WEBP", "tiff": "TIFF", "bmp": "BMP"}


def write_file(folder: Path, content: bytes) -> Path:
    path = folder / "blob"
    path.write_bytes(content)
    return path


def darkness(image: Image.Image) -> float:
    return float(255 - np.asarray(image.convert("L")).mean())


@pytest.mark.parametrize("kind", [*FORMATS, "avif"])
def test_decodes_every_format(tmp_path: Path, kind: str) -> None:
    path = write_file(tmp_path, encode_image(draw_lines(), FORMATS.get(kind, kind.upper())))
    assert f"image/{kind}" in IMAGE_TYPES
    opened = images.decode_page(path, f"image/{kind}", 1)
    assert (opened.image.mode, opened.image.size, opened.note) == ("RGB", SIZE, None)
    assert darkness(opened.image) == pytest.approx(darkness(draw_lines()), abs=1)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "LA", "CMYK", "I;16", "I", "F"])
def test_decodes_every_mode_alike(tmp_path: Path, mode: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.asarray(draw_lines().convert("L")).astype(np.uint16) * 257)
    else:
        image = draw_lines().convert(mode)
    path = write_file(tmp_path, encode_image(image, "TIFF"))
    assert darkness(images.decode_page(path, "image/tiff", 1).image) == pytest.approx(darkness(draw_lines()), abs=1.5)


def test_flattens_transparency_onto_white(tmp_path: Path) -> None:
    path = write_file(tmp_path, encode_image(Image.new("RGBA", (50, 50), (0, 0, 0, 0))))
    assert images.decode_page(path, "image/png", 1).image.getpixel((25, 25)) == (255, 255, 255)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_applies_exif_orientation(tmp_path: Path, orientation: int) -> None:
    transposes = {1: [], 2: [0], 3: [3], 4: [1], 5: [5], 6: [2], 7: [6], 8: [4]}[orientation]
    image = draw_lines()
    for transpose in transposes:
        image = image.transpose(Image.Transpose(transpose))
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = write_file(tmp_path, encode_image(image, "JPEG", exif=exif, quality=95))
    opened = images.decode_page(path, "image/jpeg", 1).image
    assert opened.size == SIZE
    difference = np.abs(np.asarray(opened, np.int16) - np.asarray(draw_lines(), np.int16)).mean()
    assert difference < 2
    (page,) = images.read_page_sizes(path, "image/jpeg", 10).pages
    assert (page.width, page.height) == SIZE


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"])
def test_reads_pages_of_tiff(tmp_path: Path, compression: str) -> None:
    pages = [draw_lines([f"page {number}"], (300 + number, 200)) for number in range(1, 4)]
    path = write_file(tmp_path, encode_tiff(*pages, compression=compression))
    found = images.read_page_sizes(path, "image/tiff", 2)
    assert ([page.width for page in found.pages], found.page_count) == ([301, 302], 3)
    assert images.decode_page(path, "image/tiff", 3).image.size == (303, 200)
    with pytest.raises(Reject, match="no page 4"):
        images.decode_page(path, "image/tiff", 4)


def test_counts_animation_as_one_page(tmp_path: Path) -> None:
    path = write_file(
        tmp_path, encode_image(draw_lines(), "GIF", save_all=True, append_images=[Image.new("RGB", SIZE)])
    )
    assert images.read_page_sizes(path, "image/gif", 10).page_count == 1


def test_page_size_follows_resolution(tmp_path: Path) -> None:
    for dpi, width in ((300, 216.0), (2, 900.0)):
        path = write_file(tmp_path, encode_image(draw_lines(), "PNG", dpi=(dpi, dpi)))
        assert images.read_page_sizes(path, "image/png", 1).pages[0].width == pytest.approx(width, abs=0.1)


def test_scales_down_large_scan(tmp_path: Path) -> None:
    path = write_file(tmp_path, encode_image(Image.new("L", (12_000, 9_000), 200), "JPEG"))
    opened = images.decode_page(path, "image/jpeg", 1)
    assert opened.image.size == (images.MAX_OUTPUT_SIDE, images.MAX_OUTPUT_SIDE * 3 // 4)
    assert images.read_page_sizes(path, "image/jpeg", 1).pages[0].width == 12_000


@pytest.mark.parametrize("size", [(60_000, 60_000), (1_000_000, 10)])
def test_rejects_oversized_image_by_header(tmp_path: Path, size: tuple[int, int]) -> None:
    path = write_file(tmp_path, make_png_header(*size))
    for call in (
        lambda: images.read_page_sizes(path, "image/png", 9),
        lambda: images.decode_page(path, "image/png", 1),
    ):
        with pytest.raises(Reject, match="more than can be read") as caught:
            call()
        assert caught.value.category == "validation"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "GIF", "BMP"])
def test_decodes_intact_part_of_truncated_image(tmp_path: Path, kind: str) -> None:
    whole = encode_image(draw_lines(), kind)
    path = write_file(tmp_path, whole[: len(whole) * 3 // 4])
    opened = images.decode_page(path, f"image/{kind.lower()}", 1)
    assert opened.note == images.DAMAGED_NOTE
    assert opened.image.size == SIZE


RAMP = [bytes(2 * x + y for x in range(64)) for y in range(48)]
PREVIEW = [bytes([200]) * 32] * 16


def test_decodes_heic(tmp_path: Path) -> None:
    path = write_file(tmp_path, make_heic(RAMP, PREVIEW))
    opened = images.decode_page(path, "image/heic", 1)
    assert (opened.image.mode, opened.image.size, opened.note) == ("RGB", (64, 48), None)
    # Video levels range from 16 to 235; the decoder stretches them to 0 to 255.
    expected = (np.array([list(row) for row in RAMP]) - 16) * 255 / 219
    assert np.abs(np.asarray(opened.image.convert("L")) - expected.clip(0, 255)).max() < 3
    assert images.read_page_sizes(path, "image/heic", 9).page_count == 1


@pytest.mark.parametrize("media_type", ["image/heic", "image/heif"])
def test_decodes_other_image_of_damaged_heic(tmp_path: Path, media_type: str) -> None:
    opened = images.decode_page(write_file(tmp_path, make_heic(RAMP, PREVIEW, damaged=[0])), media_type, 1)
    assert (opened.image.size, opened.note) == ((32, 16), images.DAMAGED_NOTE)
    assert min(opened.image.getpixel((7, 7))) > 200
    with pytest.raises(Reject, match="damaged") as caught:
        images.decode_page(write_file(tmp_path, make_heic(RAMP, PREVIEW, damaged=[0, 1])), media_type, 1)
    assert caught.value.category == "corrupt", "a black image would pass for a valid one"


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(64), b"II*\x00" + bytes(30)])
def test_rejects_files_that_are_not_images(tmp_path: Path, content: bytes) -> None:
    path = write_file(tmp_path, content)
    for media_type in ("image/png", "image/heic", "image/tiff"):
        with pytest.raises(Reject, match="damaged") as caught:
            images.read_page_sizes(path, media_type, 1)
        assert caught.value.category == "corrupt"


SMALL = draw_lines(["abc"], (120, 60))
WHOLE = {kind: encode_image(SMALL, FORMATS.get(kind, kind.upper())) for kind in [*FORMATS, "avif"]}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(WHOLE)), st.lists(st.tuples(st.floats(0, 0.999), st.binary(min_size=1, max_size=4))))
def test_changed_bytes_raise_only_reject(tmp_path: Path, kind: str, changes: list[tuple[float, bytes]]) -> None:
    content = bytearray(WHOLE[kind])
    for position, written in changes:
        offset = int(position * len(content))
        content[offset : offset + len(written)] = written
    path = write_file(tmp_path, bytes(content))
    for call in (images.read_page_sizes, images.decode_page):
        with suppress(Reject):
            call(path, f"image/{kind}", 1)


def test_renders_page_as_png(tmp_path: Path) -> None:
    path = write_file(tmp_path, encode_image(draw_lines(), "TIFF"))
    rendered = Image.open(io.BytesIO(images.render(path, "image/tiff", 1, 300)))
    assert (rendered.format, rendered.size[0]) == ("PNG", 300)


@pytest.mark.parametrize(
    ("compression", "codec"), [(34661, "JBIG"), (34712, "JPEG 2000"), (50001, "WebP"), (65123, "the TIFF method 65123")]
)
def test_names_the_codec_of_a_tiff_that_cannot_be_decoded(tmp_path: Path, compression: int, codec: str) -> None:
    path = write_file(tmp_path, make_tiff(compression))
    with pytest.raises(Reject, match=f"compressed with {codec}, which") as caught:
        images.decode_page(path, "image/tiff", 1)
    assert caught.value.category == "unsupported_file_type"


def test_names_the_codec_of_a_heif_file_that_cannot_be_decoded(tmp_path: Path) -> None:
    path = write_file(tmp_path, make_heic(RAMP).replace(b"hvc1", b"avc1"))
    with pytest.raises(Reject, match=r"compressed with H\.264, which"):
        images.decode_page(path, "image/heif", 1)


def test_names_a_codec_that_pillow_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "check", lambda feature: feature != "jpg_2000")
    with pytest.raises(Reject, match="needs the codec JPEG 2000") as caught:
        images.decode_page(write_file(tmp_path, b"\xff\x4f\xff\x51"), "image/jp2", 1)
    assert caught.value.category == "not_installed"


def test_a_failed_allocation_is_not_taken_for_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path, encode_image(draw_lines()))

    def fail(*_: object) -> None:
        raise OSError("out of memory when reading image file")

    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(MemoryError):
        images.decode_page(path, "image/png", 1)


def test_estimates_memory_from_the_header(tmp_path: Path) -> None:
    assert estimate_bytes(write_file(tmp_path, make_webp_header(16_000))) == 12 * 16_000**2
    small = Image.new("RGB", (30, 20))
    assert estimate_bytes(write_file(tmp_path, encode_image(small, "WEBP"))) == 12 * 600
    assert estimate_bytes(write_file(tmp_path, encode_image(small, "WEBP", lossless=True))) == 12 * 600
    assert estimate_bytes(write_file(tmp_path, encode_image(small, "AVIF"))) == 8 * 600
    assert estimate_bytes(write_file(tmp_path, encode_image(small, "JPEG2000"))) == (3 * 5 + 4) * 600
