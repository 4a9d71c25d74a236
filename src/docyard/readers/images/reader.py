"""Pictures opened safely: how large one is, is read from its header before anything is decoded.

Pillow and libheif read files nobody has checked: they only run inside confined children.
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
from docyard.readers.images.modes import as_rgb

FIT = 2048  # pixels: what people look at and engines read
CUT_OFF = "The picture is cut off or damaged; what could be read of it is shown."
_MOST_BYTES = 1_000_000_000  # while decoding; half of what a child may have
_MOST_BYTES_REDUCED = 64 * _MOST_BYTES  # JPEG is decoded at an eighth of its size
_BYTES = {"1": 2, "L": 1, "P": 5, "LA": 4, "I;16": 5, "I;16B": 5, "I;16L": 5}  # a pixel, and its copy as RGB
_LONGEST_SIDE = 65_535 * 4
_DPI = (50.0, 1200.0)
_TURNED = (5, 6, 7, 8)  # EXIF orientations in which width and height change places
_ORIENTATION = 0x0112
_OF_LIBHEIF = ("image/heic", "image/heif")
_HEIF = (*_OF_LIBHEIF, "image/avif")
# Readers of a dozen formats tell of damage in their own ways; all were seen on files with changed bytes.
_DAMAGE = (
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
class Sheet:
    """The size of one page of a picture file as it is shown, in points, and why it cannot be read, if so."""

    width: float
    height: float
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """The pages of a picture file, as far as they were looked at, and how many there are."""

    sheets: tuple[Sheet, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Opened:
    """A picture in RGB, upright and small enough to work with; the note says what is wrong with it."""

    image: Any
    note: str | None = None


def survey(path: Path, media_type: str, page_limit: int) -> Survey:
    """The size of each page, from the headers alone."""
    with _opened(path, media_type) as image:
        count = _frames(image)
        sheets = []
        for frame in range(min(count, page_limit)):
            try:
                image.seek(frame)
                sheets.append(_sheet(image))
            except _DAMAGE:
                sheets.append(Sheet(0.0, 0.0, "The page is damaged."))
    refusals = {sheet.refusal for sheet in sheets}
    if None not in refusals:
        raise Reject("validation", str(sheets[0].refusal))
    return Survey(tuple(sheets), count)


def open_page(path: Path, media_type: str, number: int, fit: int = FIT) -> Opened:
    """One page, at most so many pixels long and wide; pages count from one."""
    try:
        return _decoded(path, media_type, number, fit)
    except _DAMAGE:
        pass
    second = _second_try(path, media_type, number, fit)
    if second is None:
        raise Reject("corrupt", "The picture is damaged and cannot be read.")
    return Opened(second, CUT_OFF)


def render(path: Path, media_type: str, number: int, width: int) -> bytes:
    """The page as a PNG of at most that many pixels across."""
    image = open_page(path, media_type, number).image
    image.thumbnail((width, FIT * 2))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=3)
    return file.getvalue()


@contextmanager
def _opened(path: Path, media_type: str) -> Iterator[Any]:
    if media_type in _HEIF:
        import pi_heif

        pi_heif.register_heif_opener(thumbnails=False)
    # Pillow's own limit only knows pixels; ours knows what they take, and applies to each page.
    Image.MAX_IMAGE_PIXELS = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd metadata, which nobody here could mend
        with _identified(path) as image:
            yield image


def _identified(path: Path) -> Any:
    try:
        return Image.open(path)
    except _DAMAGE:
        pass
    try:
        with _leniently():
            return Image.open(path)
    except _DAMAGE as error:
        raise Reject("corrupt", "The picture is damaged and cannot be read.") from error


@contextmanager
def _leniently() -> Iterator[None]:
    """Let Pillow make do with what there is of a file."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _frames(image: Any) -> int:
    """Only a TIFF has pages; the other pictures of a file are a film or previews."""
    try:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    except _DAMAGE:
        return 1


def _sheet(image: Any) -> Sheet:
    width, height = image.size
    scale = 72 / _dpi(image)
    if refusal := _refusal(image):
        return Sheet(0.0, 0.0, refusal)
    if _orientation(image) in _TURNED:
        width, height = height, width
    return Sheet(width * scale, height * scale)


def _orientation(image: Any) -> int:
    """How the camera was held; asked of a PNG directly, Pillow would decode all of it first."""
    exif = Image.Exif()
    if image.format != "PNG":
        exif = image.getexif()
    elif "exif" in image.info:
        exif.load(image.info["exif"])
    return int(exif.get(_ORIENTATION, 1))


def _dpi(image: Any) -> float:
    """Dots an inch, as the file says where that makes sense; without it a dot is a point."""
    try:
        across, down = (float(value) for value in image.info.get("dpi", (72.0, 72.0)))
    except _DAMAGE:
        return 72.0
    sensible = _DPI[0] <= across <= _DPI[1] and abs(across - down) < 1
    return across if sensible else 72.0


def _refusal(image: Any) -> str | None:
    width, height = image.size
    allowed = _MOST_BYTES_REDUCED if image.format in ("JPEG", "MPO") else _MOST_BYTES
    # A progressive JPEG is held whole before any of it is made smaller.
    if image.info.get("progressive"):
        allowed = _MOST_BYTES
    needed = width * height * _BYTES.get(image.mode, 4)
    if needed <= allowed and max(width, height) <= _LONGEST_SIDE:
        return None
    return f"The picture has {width:,} × {height:,} pixels, more than can be read here."


def _decoded(path: Path, media_type: str, number: int, fit: int) -> Opened:
    with _opened(path, media_type) as image:
        if not 1 <= number <= _frames(image):
            raise Reject("not_found", f"The picture has no page {number}.")
        image.seek(number - 1)
        if refusal := _refusal(image):
            raise Reject("validation", refusal)
        return Opened(_fitted(image, fit))


def _fitted(image: Any, fit: int) -> Any:
    """Decoded, made smaller before anything else is done to it, then RGB and upright."""
    image.draft(image.mode, (fit, fit))
    image.load()
    orientation = _orientation(image)
    factor = max(image.size) // (2 * fit)
    if factor > 1 and image.mode in ("L", "RGB", "CMYK", "YCbCr"):
        image = image.reduce(factor)
    picture = as_rgb(image)
    picture.thumbnail((fit, fit), Image.Resampling.LANCZOS)
    picture.getexif()[_ORIENTATION] = orientation
    return ImageOps.exif_transpose(picture)


def _second_try(path: Path, media_type: str, number: int, fit: int) -> Any | None:
    """What can still be had of a damaged picture: its sound part, or another that its file carries."""
    # Of a damaged HEIC the lenient way gives a black picture, which would pass for one that was read.
    if media_type in _OF_LIBHEIF:
        return _another(path, fit)
    try:
        with _leniently():
            return _decoded(path, media_type, number, fit).image
    except _DAMAGE:
        return None


def _another(path: Path, fit: int) -> Any | None:
    """Another picture in the same HEIF file that can be decoded."""
    import pi_heif

    try:
        pictures = list(pi_heif.open_heif(path, convert_hdr_to_8bit=True))
    except _DAMAGE:
        return None
    for one in pictures:
        try:
            if max(one.size) <= _LONGEST_SIDE:
                return _fitted(one.to_pillow(), fit)
        except _DAMAGE:
            continue
    return None
