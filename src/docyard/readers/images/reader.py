"""Images decoded safely: their size is read from the header before anything is decoded.

Pillow and libheif parse untrusted files, so they run only in confined child processes.
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageFile, ImageOps

from docyard.errors import Reject
from docyard.readers.images.codecs import make_refusal
from docyard.readers.images.header_sizes import estimate_bytes
from docyard.readers.images.rgb_conversion import convert_to_rgb
from docyard.readers.memory import raise_if_out_of_memory, require_memory

MAX_OUTPUT_SIDE = 2048  # pixels on a side, for display and OCR
DAMAGED_NOTE = "The image is cut off or damaged; only the readable part is shown."
_MAX_DECODED_BYTES = 1_000_000_000  # peak memory of one page; half the memory of a child process
_MAX_REDUCED_BYTES = 64 * _MAX_DECODED_BYTES  # JPEG can be decoded at an eighth of its width and height
_BYTES_PER_PIXEL = {"1": 2, "L": 1, "P": 5, "LA": 4, "I;16": 5, "I;16B": 5, "I;16L": 5}  # estimated peak
_MAX_SIDE = 65_535 * 4
_DPI_RANGE = (50.0, 1200.0)
_SWAPPED_ORIENTATIONS = (5, 6, 7, 8)  # EXIF orientations that swap width and height
_ORIENTATION = 0x0112
_LIBHEIF_TYPES = ("image/heic", "image/heif")
_HEIF_TYPES = (*_LIBHEIF_TYPES, "image/avif")
# Exceptions that the decoders raised for damaged files.
_DECODE_ERRORS = (
    OSError,
    EOFError,
    SyntaxError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    struct.error,
)


@dataclass(frozen=True, slots=True)
class ImagePage:
    """The displayed size of a page in points; `refusal` is the reason if the page cannot be read."""

    width: float
    height: float
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """The pages of an image file up to the limit, and its total page count."""

    pages: tuple[ImagePage, ...]
    page_count: int


@dataclass(frozen=True, slots=True)
class DecodedPage:
    """A decoded image, in RGB, upright and scaled down; the note describes damage."""

    image: Any
    note: str | None = None


def read_page_sizes(path: Path, media_type: str, page_limit: int) -> ImageInfo:
    """Return the size of each page, from the headers alone; raise Reject if no page can be read."""
    with _open_image(path, media_type) as image:
        count = _count_pages(image)
        pages = []
        for frame in range(min(count, page_limit)):
            try:
                image.seek(frame)
                pages.append(_read_page(image))
            except _DECODE_ERRORS as error:
                raise_if_out_of_memory(error)
                pages.append(ImagePage(0.0, 0.0, "The page is damaged."))
    refusals = {page.refusal for page in pages}
    if None not in refusals:
        raise Reject("validation", str(pages[0].refusal))
    return ImageInfo(tuple(pages), count)


def decode_page(path: Path, media_type: str, number: int, fit: int = MAX_OUTPUT_SIDE) -> DecodedPage:
    """Decode one page, counted from 1, scaled down to at most `fit` pixels on a side.

    Of a damaged page, the readable part is returned with a note.
    """
    try:
        return _decode(path, media_type, number, fit)
    except _DECODE_ERRORS as error:
        raise_if_out_of_memory(error)
    salvaged = _salvage(path, media_type, number, fit)
    if salvaged is None:
        raise make_refusal(path, media_type, number)
    return DecodedPage(salvaged, DAMAGED_NOTE)


def render(path: Path, media_type: str, number: int, width: int) -> bytes:
    """Render the page as a PNG at most `width` pixels wide."""
    image = decode_page(path, media_type, number).image
    image.thumbnail((width, MAX_OUTPUT_SIDE * 2))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=3)
    return file.getvalue()


@contextmanager
def _open_image(path: Path, media_type: str) -> Iterator[Any]:
    if media_type in _HEIF_TYPES:
        import pi_heif

        pi_heif.register_heif_opener(thumbnails=False)
    # Pillow limits the pixels of a file; `_check_size` limits the memory of each page instead.
    Image.MAX_IMAGE_PIXELS = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about invalid metadata
        require_memory(estimate_bytes(path))
        with _identify(path, media_type) as image:
            yield image


def _identify(path: Path, media_type: str) -> Any:
    try:
        return Image.open(path)
    except _DECODE_ERRORS as error:
        raise_if_out_of_memory(error)
    try:
        with _allow_truncated():
            return Image.open(path)
    except _DECODE_ERRORS as error:
        raise make_refusal(path, media_type, 1) from error


@contextmanager
def _allow_truncated() -> Iterator[None]:
    """Let Pillow decode truncated files."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _count_pages(image: Any) -> int:
    """Return the number of pages. Frames are pages only in TIFF; elsewhere, animations or previews."""
    try:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    except _DECODE_ERRORS:
        return 1


def _read_page(image: Any) -> ImagePage:
    width, height = image.size
    scale = 72 / _read_dpi(image)
    if refusal := _check_size(image):
        return ImagePage(0.0, 0.0, refusal)
    if _read_orientation(image) in _SWAPPED_ORIENTATIONS:
        width, height = height, width
    return ImagePage(width * scale, height * scale)


def _read_orientation(image: Any) -> int:
    """Return the EXIF orientation. `getexif` is not used for PNG, because it decodes the image first."""
    exif = Image.Exif()
    if image.format != "PNG":
        exif = image.getexif()
    elif "exif" in image.info:
        exif.load(image.info["exif"])
    return int(exif.get(_ORIENTATION, 1))


def _read_dpi(image: Any) -> float:
    """Return the resolution in the file if it is plausible; otherwise 72, so that a pixel is a point."""
    try:
        across, down = (float(value) for value in image.info.get("dpi", (72.0, 72.0)))
    except _DECODE_ERRORS:
        return 72.0
    plausible = _DPI_RANGE[0] <= across <= _DPI_RANGE[1] and abs(across - down) < 1
    return across if plausible else 72.0


def _check_size(image: Any) -> str | None:
    width, height = image.size
    max_bytes = _MAX_REDUCED_BYTES if image.format in ("JPEG", "MPO") else _MAX_DECODED_BYTES
    # A progressive JPEG is decoded at full size before it is scaled down.
    if image.info.get("progressive"):
        max_bytes = _MAX_DECODED_BYTES
    needed = width * height * _BYTES_PER_PIXEL.get(image.mode, 4)
    if needed <= max_bytes and max(width, height) <= _MAX_SIDE:
        return None
    return f"The image has {width:,} × {height:,} pixels, more than can be read. Upload a smaller copy."


def _decode(path: Path, media_type: str, number: int, fit: int) -> DecodedPage:
    with _open_image(path, media_type) as image:
        if not 1 <= number <= _count_pages(image):
            raise Reject("not_found", f"The image has no page {number}.")
        image.seek(number - 1)
        if refusal := _check_size(image):
            raise Reject("validation", refusal)
        return DecodedPage(_load_scaled(image, fit))


def _load_scaled(image: Any, fit: int) -> Any:
    """Decode the image, scale it down, then convert it to RGB and turn it upright."""
    image.draft(image.mode, (fit, fit))
    image.load()
    orientation = _read_orientation(image)
    factor = max(image.size) // (2 * fit)
    if factor > 1 and image.mode in ("L", "RGB", "CMYK", "YCbCr"):
        image = image.reduce(factor)
    scaled = convert_to_rgb(image)
    scaled.thumbnail((fit, fit), Image.Resampling.LANCZOS)
    scaled.getexif()[_ORIENTATION] = orientation
    return ImageOps.exif_transpose(scaled)


def _salvage(path: Path, media_type: str, number: int, fit: int) -> Any | None:
    """Decode the intact part of a damaged image, or another image in the file; None if neither exists."""
    # Lenient decoding turns a damaged HEIC into a black image, which would pass for a readable one.
    if media_type in _LIBHEIF_TYPES:
        return _salvage_heif(path, fit)
    try:
        with _allow_truncated():
            return _decode(path, media_type, number, fit).image
    except _DECODE_ERRORS as error:
        raise_if_out_of_memory(error)
        return None


def _salvage_heif(path: Path, fit: int) -> Any | None:
    """Return the first image of the HEIF file that can be decoded, or None."""
    import pi_heif

    try:
        images = list(pi_heif.open_heif(path, convert_hdr_to_8bit=True))
    except _DECODE_ERRORS:
        return None
    for image in images:
        try:
            if max(image.size) <= _MAX_SIDE:
                return _load_scaled(image.to_pillow(), fit)
        except _DECODE_ERRORS as error:
            raise_if_out_of_memory(error)
            continue
    return None
