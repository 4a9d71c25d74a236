"""Media types of zip and compound files, detected by members that are specific to a kind of document."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from docyard.readers import ole, zip_archive

OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED_OFFICE = "application/vnd.ms-office.encrypted"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_FOLDERS = {
    "word/": _OFFICE + "wordprocessingml.document",
    "xl/": _OFFICE + "spreadsheetml.sheet",
    "ppt/": _OFFICE + "presentationml.presentation",
}
# The content type of the main part is the media type plus `.main`; `_package_type` handles files with macros.
_MAIN_PART = re.compile(rb"ContentType\s*=\s*[\"'](application/[\w.-]+?)\.main(?:\+xml)?[\"']")
_DECLARED_TYPE = re.compile(r"application/(?:vnd\.oasis\.opendocument\.[\w-]+|vnd\.sun\.xml\.[\w.-]+|epub\+zip)")
_MANIFEST = re.compile(rb"<[^>]*full-path=\"/\"[^>]*>")
_MAX_READ_BYTES = 1 << 20
_OLE_STREAMS = (
    ("EncryptedPackage", ENCRYPTED_OFFICE),
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)


def detect_zip_type(path: Path) -> str:
    """Return the media type of a zip file; `application/zip` if it is not a known kind of document."""
    try:
        with zipfile.ZipFile(path) as zipped:
            return _package_type(zipped) or _declared_type(zipped) or "application/zip"
    except (*zip_archive.ARCHIVE_ERRORS, RuntimeError):
        return "application/zip"


def detect_ole_type(path: Path) -> str:
    """Return the media type of a compound file; `application/x-ole-storage` if damaged or unknown."""
    import olefile

    if not ole.has_valid_header(path):
        return "application/x-ole-storage"
    try:
        with olefile.OleFileIO(str(path)) as file:
            found = (kind for stream, kind in _OLE_STREAMS if file.exists(stream))
            return next(found, "application/x-ole-storage")
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a damaged directory may raise nearly anything
        return "application/x-ole-storage"


def _package_type(zipped: zipfile.ZipFile) -> str | None:
    """Return the type of an Office Open XML package, by its folder and main part; None for other files."""
    names = zipped.NameToInfo
    folder = next((each for each in _FOLDERS if any(name.startswith(each) for name in names)), None)
    if folder is None or "[Content_Types].xml" not in names:
        return None
    match = _MAIN_PART.search(_read_start(zipped, "[Content_Types].xml"))
    kind = match[1].decode() if match else ""
    if "macroEnabled" in kind:
        return kind.replace("macroEnabledTemplate", "macroEnabled") + ".12"
    return kind if kind.startswith(_OFFICE) else _FOLDERS[folder]


def _declared_type(zipped: zipfile.ZipFile) -> str | None:
    """Return the type that an OpenDocument or EPUB file declares; None for other files.

    The type is in the member `mimetype`; older programs write it only to the manifest. A file that declares
    no type but has the member `META-INF/container.xml` is an EPUB file.
    """
    declared = _read_start(zipped, "mimetype").decode("ascii", "ignore").strip()
    if not declared and (entry := _MANIFEST.search(_read_start(zipped, "META-INF/manifest.xml"))):
        declared = entry[0].decode("ascii", "ignore")
    if found := _DECLARED_TYPE.search(declared):
        return found[0]
    return "application/epub+zip" if "META-INF/container.xml" in zipped.NameToInfo else None


def _read_start(zipped: zipfile.ZipFile, name: str) -> bytes:
    if name not in zipped.NameToInfo:
        return b""
    with zipped.open(name) as stream:
        return stream.read(_MAX_READ_BYTES)
