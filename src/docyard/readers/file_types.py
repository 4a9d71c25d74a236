"""Detection of the media type of a file from its content.

A file name is not reliable, so it only decides between kinds of plain text.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePath

from docyard.readers import container_types
from docyard.readers.mail import cms
from docyard.readers.mail.mail_detection import detect_mail_type
from docyard.readers.text import decode, detect_unicode_encoding

UNKNOWN = "application/octet-stream"
_HEAD_BYTES = 8192
_PDF_HEADER_LIMIT = 1024  # bytes; scanners and mail gateways put junk before the header
# Netpbm images are checked before text: they start with ASCII, and their pixels are valid in some charset.
_NETPBM = re.compile(rb"P[1-6]\s+(?:#[^\n]{0,200}\s+){0,20}\d{1,6}\s+\d{1,6}\s+\S")
_PDF = re.compile(rb"%PDF-\d")

# (offset, bytes at the offset, media type); the first match wins.
_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"BM", "image/bmp"),
    (0, b"\x00\x00\x00\x0cjP  \r\n\x87\n", "image/jp2"),
    (0, b"\xff\x4f\xff\x51", "image/jp2"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypheim", "image/heic"),
    (4, b"ftypmif1", "image/heif"),
    (4, b"ftypmsf1", "image/heif"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftyp", "video/mp4"),
    (0, b"\xffWPC", "application/vnd.wordperfect"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\x78\x9f\x3e\x22", "application/ms-tnef"),
    (0, b"%!PS", "application/postscript"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\x00", "application/x-xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (257, b"ustar", "application/x-tar"),
    (0, b"MZ", "application/vnd.microsoft.portable-executable"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "application/ogg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"fLaC", "audio/flac"),
)
# These formats are text files. Other printable signatures count only if the file cannot be decoded as text.
_TEXT_BASED = {"application/rtf", "application/postscript"}

_TEXT_EXTENSIONS = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".htm": "text/html",
    ".html": "text/html",
    ".xml": "text/xml",
    ".json": "application/json",
    ".eml": "message/rfc822",
    ".mbox": "application/mbox",
}
_HTML = re.compile(r"<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HTML_END_TAG = re.compile(r"</(p|div|td|tr|li|ul|table|span|h[1-6]|a|b|font)>", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"<\?xml\b[^>]{0,300}>")
_DOCTYPE = re.compile(r"<!doctype\s+([\w:-]+)[^>\[]{0,1000}>?", re.IGNORECASE)
_SVG = re.compile(r"<(\w+:)?svg\b", re.IGNORECASE)
_FLAT_ODF = re.compile(
    r"<office:document\b[^>]*\boffice:mimetype=\"(application/vnd\.oasis\.opendocument\.(?:text|presentation|spreadsheet|graphics))\""
)
_CARD_TYPES = {"begin:vcard": "text/vcard", "begin:vcalendar": "text/calendar"}
_MARKDOWN = re.compile(r"^(#{1,6} \S|```|[-*] \S.*\n[-*] \S)|\[[^\]\n]+\]\([^)\n]+\)", re.MULTILINE)


def detect_media_type(path: Path, name: str) -> str:
    """Return the media type of the file at `path`, whose original name is `name`."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return container_types.detect_zip_type(path)
    if head.startswith(container_types.OLE_SIGNATURE):
        return container_types.detect_ole_type(path)
    if cms.is_signed(head) or cms.is_encrypted(head):
        return "application/pkcs7-mime"
    if _NETPBM.match(head):
        return "image/x-portable-anymap"
    return _signature_type(head) or _pdf_type(head) or _text_type(head, name) or UNKNOWN


def _pdf_type(head: bytes) -> str | None:
    """Return the PDF type if a PDF header is near the start.

    The header does not count if a mail message precedes it, because a message can contain or quote a PDF.
    """
    found = _PDF.search(head, 0, _PDF_HEADER_LIMIT)
    if not found or (found.start() and detect_mail_type(head[: found.start()].decode("latin-1"))):
        return None
    return "application/pdf"


def _signature_type(head: bytes) -> str | None:
    for offset, signature, kind in _SIGNATURES:
        if head.startswith(signature, offset):
            printable = signature.isascii() and signature.decode().isprintable()
            ambiguous = printable and kind not in _TEXT_BASED and _decode_head(head) is not None
            return None if ambiguous else kind
    return None


def _text_type(head: bytes, name: str) -> str | None:
    """Return the type of a text file; its extension counts unless the content is markup, a card or mail."""
    text = _decode_head(head)
    if text is None:
        return None
    certain = _markup_type(text) or _CARD_TYPES.get(text[:20].split("\n")[0].strip().lower()) or detect_mail_type(text)
    if certain:
        return certain
    named = _TEXT_EXTENSIONS.get(PurePath(name).suffix.lower())
    return named or _plain_text_type(text, whole=len(head) < _HEAD_BYTES)


def _markup_type(text: str) -> str | None:
    start = _skip_leading_comments(text)
    prolog = _XML_DECLARATION.match(start)
    body = _skip_leading_comments(start[prolog.end() :]) if prolog else start
    doctype = _DOCTYPE.match(body)
    kind = doctype[1].lower() if doctype else ""
    if kind == "html" or _HTML.match(body):
        return "text/html"
    if kind == "svg" or _SVG.match(body):
        return "image/svg+xml"
    if prolog or doctype:
        flat = _FLAT_ODF.search(body)
        return f"{flat[1]}-flat-xml" if flat else "text/xml"
    return "text/html" if body.startswith("<") and len(_HTML_END_TAG.findall(body)) >= 3 else None


def _plain_text_type(text: str, *, whole: bool) -> str:
    if whole and _is_json(text):
        return "application/json"
    if _is_csv(text):
        return "text/csv"
    return "text/markdown" if len(_MARKDOWN.findall(text)) >= 2 else "text/plain"


def _decode_head(head: bytes) -> str | None:
    """Return the start of the file as text, or None if it is empty or too many characters are not text."""
    if not head.strip():
        return "" if head else None
    if b"\x00" in head and detect_unicode_encoding(head) is None:
        return None
    text = decode(head)
    unprintable = sum(1 for c in text if c < " " and c not in "\t\n\r\f\x1b\b") + text.count("\ufffd")
    return text if unprintable * 50 <= len(text) else None


def _is_json(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_csv(text: str) -> bool:
    """Return whether the first lines, at least three, have equal counts (2 or more) of the same delimiter."""
    lines = [line for line in text.splitlines()[:20] if line]
    if len(lines) < 3:
        return False
    lines = lines[:-1] if len(lines) > 3 else lines  # the last line may be incomplete
    counts = ({line.count(delimiter) for line in lines} for delimiter in ",;\t")
    return any(len(numbers) == 1 and min(numbers) >= 2 for numbers in counts)


def _skip_leading_comments(text: str) -> str:
    """Return the text after its leading comments and whitespace.

    A regular expression would backtrack through every way to split a long run of comments.
    """
    start = 0
    while True:
        while start < len(text) and text[start].isspace():
            start += 1
        end = text.find("-->", start) if text.startswith("<!--", start) else -1
        if end < 0:
            return text[start:]
        start = end + 3
