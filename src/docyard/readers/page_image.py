"""The first page as a picture that every model takes: JPEG, at most 2048 pixels and 5 MB.

It reads files nobody has checked, so it only runs inside confined children.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from docyard.errors import Reject
from docyard.readers.image_types import PICTURES

_MOST_BYTES = 5_000_000
_QUALITIES = (85, 70, 50)


def first_page(path: Path, media_type: str) -> bytes:
    """The page, upright, with just as much quality as fits; nothing where none does."""
    from docyard.readers.images import reader as images
    from docyard.readers.pdf import reader as pdf

    if media_type == "application/pdf":
        image = pdf.picture(path, 1, images.FIT)
    elif media_type in PICTURES:
        image = images.open_page(path, media_type, 1).image
    else:
        raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be shown as images.")
    tries = (_encoded(image, quality) for quality in _QUALITIES)
    return next((data for data in tries if len(data) <= _MOST_BYTES), b"")


def _encoded(image: Any, quality: int) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()
