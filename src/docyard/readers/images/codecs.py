"""Names of image codecs that this installation cannot decode, read from files that could not be decoded."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import TiffImagePlugin, features

from docyard.errors import Reject

_COMPRESSION = 259
_MAX_HEADER_BYTES = 1 << 20
_TIFF_CODECS = {
    32766: "NeXT",
    32908: "Pixar Film",
    32909: "Pixar Log",
    33003: "JPEG 2000",
    33005: "JPEG 2000",
    34661: "JBIG",
    34712: "JPEG 2000",
    34718: "Microsoft Document Imaging",
    34719: "Microsoft Document Imaging",
    34720: "Microsoft Document Imaging",
    34887: "LERC",
    34892: "lossy JPEG",
    50001: "WebP",
    50002: "JPEG XL",
    52546: "JPEG XL",
}
# Codecs by item type of HEIF files; `hvc1` (HEVC) can be decoded.
_HEIF_ITEM = re.compile(rb"infe[\x02\x03]\x00..(?:..)?..(hvc1|av01|avc1|vvc1|evc1|j2k1|jpeg|unci)", re.DOTALL)
_HEIF_CODECS = {
    "av01": "AV1",
    "avc1": "H.264",
    "vvc1": "H.266",
    "evc1": "EVC",
    "j2k1": "JPEG 2000",
    "jpeg": "JPEG in HEIF",
    "unci": "ISO 23001-17",
}
# Codecs that Pillow has only if it was built with them.
_BUILD_FEATURES = {
    "image/jp2": ("jpg_2000", "JPEG 2000"),
    "image/webp": ("webp", "WebP"),
    "image/avif": ("avif", "AV1"),
    "image/jpeg": ("jpg", "JPEG"),
}


def make_refusal(path: Path, media_type: str, number: int) -> Reject:
    """Return why this page of an image cannot be decoded: a codec by its name, or damage."""
    feature, codec = _BUILD_FEATURES.get(media_type, ("", ""))
    if feature and not features.check(feature):
        return Reject("not_installed", f"The image needs the codec {codec}, which Pillow lacks on this machine.")
    missing = _find_tiff_codec(path, number) if media_type == "image/tiff" else _find_heif_codec(path)
    if missing:
        advice = "Save it as PNG, JPEG or PDF and upload that file."
        return Reject(
            "unsupported_file_type", f"The image is compressed with {missing}, which cannot be decoded. {advice}"
        )
    return Reject("corrupt", "The image is damaged and cannot be read.")


def _find_tiff_codec(path: Path, number: int) -> str | None:
    """Return the compression of a page if Pillow cannot decode it."""
    try:
        with path.open("rb") as file:
            directory = TiffImagePlugin.ImageFileDirectory_v2(file.read(8))
            for _ in range(number):
                file.seek(directory.next)
                directory.load(file)
            compression = int(directory.get(_COMPRESSION, 1))
    except (OSError, SyntaxError, ValueError, TypeError, LookupError):
        return None
    if compression in _TIFF_CODECS:
        return _TIFF_CODECS[compression]
    return None if compression in TiffImagePlugin.COMPRESSION_INFO else f"the TIFF method {compression}"


def _find_heif_codec(path: Path) -> str | None:
    """Return the codec of a HEIF file if all its images need one that is missing."""
    with path.open("rb") as file:
        head = file.read(_MAX_HEADER_BYTES)
    if head[4:8] != b"ftyp":
        return None
    found = [match[1].decode() for match in _HEIF_ITEM.finditer(head)]
    missing = [_HEIF_CODECS[kind] for kind in found if kind in _HEIF_CODECS]
    return missing[0] if missing and len(missing) == len(found) and not _has_decodable_av1(found) else None


def _has_decodable_av1(kinds: list[str]) -> bool:
    return "av01" in kinds and bool(features.check("avif"))
