"""The media types that are opened as pictures; apart from their reader, which takes long to load."""

from __future__ import annotations

_KINDS = "png jpeg gif webp tiff bmp heic heif avif jp2 x-portable-anymap"
PICTURES = frozenset(f"image/{kind}" for kind in _KINDS.split())
