"""What a zip or compound file holds, by the members that only one kind of document has."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from docyard.readers import ole, zip_container

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED_OFFICE = "application/vnd.ms-office.encrypted"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_FOLDERS = {
    "word/": _OFFICE + "wordprocessingml.document",
    "xl/": _OFFICE + "spreadsheetml.sheet",
    "ppt/": _OFFICE + "presentationml.presentation",
}
# The main part of a package says which kind it is; with macros it says so in other words than the media type.
_MAIN_PART = re.compile(rb"ContentType\s*=\s*[\"'](application/[\w.-]+?)\.main(?:\+xml)?[\"']")
_DECLARED = re.compile(r"application/(?:vnd\.oasis\.opendocument\.[\w-]+|vnd\.sun\.xml\.[\w.-]+|epub\+zip)")
_MANIFEST = re.compile(rb"<[^>]*full-path=\"/\"[^>]*>")
_MOST_READ = 1 << 20
_OLE_STREAMS = (
    ("EncryptedPackage", ENCRYPTED_OFFICE),
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)


def zip_type(path: Path) -> str:
    """The media type of a zip file."""
    try:
        with zipfile.ZipFile(path) as zipped:
            return _package_type(zipped) or _declared_type(zipped) or "application/zip"
    except (*zip_container.DAMAGE, RuntimeError):
        return "application/zip"


def ole_type(path: Path) -> str:
    """The media type of a compound file."""
    import olefile

    if not ole.is_sound(path):
        return "application/x-ole-storage"
    try:
        with olefile.OleFileIO(str(path)) as file:
            found = (kind for stream, kind in _OLE_STREAMS if file.exists(stream))
            return next(found, "application/x-ole-storage")
    except Exception:  # noqa: BLE001 - a damaged directory may raise nearly anything
        return "application/x-ole-storage"


def _package_type(zipped: zipfile.ZipFile) -> str | None:
    """An Office Open XML package: one of three folders, and the kind that its main part is said to be."""
    names = zipped.NameToInfo
    folder = next((each for each in _FOLDERS if any(name.startswith(each) for name in names)), None)
    if folder is None or "[Content_Types].xml" not in names:
        return None
    said = _MAIN_PART.search(_start(zipped, "[Content_Types].xml"))
    kind = said[1].decode() if said else ""
    if "macroEnabled" in kind:
        return kind.replace("macroEnabledTemplate", "macroEnabled") + ".12"
    return kind if kind.startswith(_OFFICE) else _FOLDERS[folder]


def _declared_type(zipped: zipfile.ZipFile) -> str | None:
    """OpenDocument files and books name their type in a member; older writers only in the manifest."""
    declared = _start(zipped, "mimetype").decode("ascii", "ignore").strip()
    if not declared and (entry := _MANIFEST.search(_start(zipped, "META-INF/manifest.xml"))):
        declared = entry[0].decode("ascii", "ignore")
    if found := _DECLARED.search(declared):
        return found[0]
    return "application/epub+zip" if "META-INF/container.xml" in zipped.NameToInfo else None


def _start(zipped: zipfile.ZipFile, name: str) -> bytes:
    if name not in zipped.NameToInfo:
        return b""
    with zipped.open(name) as stream:
        return stream.read(_MOST_READ)
