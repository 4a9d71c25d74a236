"""The first page of a document as an image for LLMs: JPEG, at most 2048 pixels on a side and 5 MB.

The code decodes untrusted files, so it runs only in confined child processes.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from docyard.errors import Reject
from docyard.readers.image_types import IMAGE_TYPES

_MAX_BYTES = 5_000_000
_QUALITIES = (85, 70, 50)


def encode_first_page(path: Path, media_type: str) -> bytes:
    """Return the first page as a JPEG of the highest quality within the size limit; empty if none fits."""
    from docyard.readers.images import reader as images
    from docyard.readers.pdf import reader as pdf

    if media_type == "application/pdf":
        image = pdf.render_image(path, 1, images.MAX_OUTPUT_SIDE)
    elif media_type in IMAGE_TYPES:
        image = images.decode_page(path, media_type, 1).image
    else:
        raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be shown as images.")
    encodings = (_encode_jpeg(image, quality) for quality in _QUALITIES)
    return next((data for data in encodings if len(data) <= _MAX_BYTES), b"")


def _encode_jpeg(image: Any, quality: int) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()
