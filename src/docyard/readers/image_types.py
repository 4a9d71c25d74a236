"""Media types that are read as images. They are separate from their reader, which is slow to import."""

from __future__ import annotations

_KINDS = "png jpeg gif webp tiff bmp heic heif avif jp2 x-portable-anymap"
IMAGE_TYPES = frozenset(f"image/{kind}" for kind in _KINDS.split())
