"""Zip files: sizes are checked before anything is unpacked, and nothing is written to disk."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from docyard.errors import Reject
from docyard.model.limits import MEGABYTE, Limits

_CHUNK_BYTES = 1 << 20
# Files that operating systems add to archives.
_SYSTEM_FILES = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_MIN_RATIO_BYTES = 10 * MEGABYTE  # the ratio of smaller files is not checked: many are full of zeros
_ENCRYPTED_FLAG = 0x1
_SUPPORTED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_METHODS = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    20: "Zstandard",
    93: "Zstandard",
    94: "MP3",
    95: "XZ",
    96: "JPEG",
    97: "WavPack",
    98: "PPMd",
}
ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, ValueError)


@contextmanager
def open_archive(path: Path, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open an archive; raise Reject if it is damaged or its directory exceeds the limits."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_archive(archive, limits)
            yield archive
    except ARCHIVE_ERRORS as error:
        raise Reject("corrupt", "The file is damaged: its contents cannot be unpacked.") from error


def reject_unreadable(member: zipfile.ZipInfo) -> None:
    """Raise Reject if a member is encrypted, or compressed with a method that the standard library lacks."""
    reject_encrypted(member)
    if member.compress_type not in _SUPPORTED_METHODS:
        name = _METHODS.get(member.compress_type, f"the ZIP method {member.compress_type}")
        raise Reject(
            "unsupported_file_type",
            f"The file is compressed with {name}, which is not supported. Compress it with Deflate.",
        )


def read_member(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes:
    """Return the contents of a member; a wrong size in the directory raises an error."""
    member = archive.getinfo(name)
    reject_unreadable(member)
    _check_member_size(member, limits.part_bytes)
    return _unpack(archive, member)


def read_member_at(archive: zipfile.ZipFile, index: int, limits: Limits) -> bytes:
    """Return the contents of the member at this index of the directory; member names need not be unique."""
    member = archive.infolist()[index]
    reject_unreadable(member)
    _check_member_size(member, limits.upload_bytes)
    return _unpack(archive, member)


def read_optional_member(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes | None:
    """Return the contents of a member, or None if the archive has no member of this name."""
    return read_member(archive, name, limits) if name in archive.NameToInfo else None


@contextmanager
def open_member(archive: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[BinaryIO]:
    """Open one member as a stream."""
    member = archive.getinfo(name)
    reject_unreadable(member)
    _check_member_size(member, limits.part_bytes)
    with archive.open(member) as stream:
        yield cast("BinaryIO", stream)


def read_chunks(archive: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[bytes]:
    """Yield one member in chunks of a megabyte."""
    with open_member(archive, name, limits) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            yield chunk


def verify_member_size(archive: zipfile.ZipFile, name: str, limits: Limits) -> None:
    """Unpack a member to check its size in the directory, for libraries that do not check it."""
    for _ in read_chunks(archive, name, limits):
        pass


def reject_encrypted_manifest(archive: zipfile.ZipFile, limits: Limits) -> None:
    """Raise Reject if the manifest of an OpenDocument file declares encrypted members."""
    if b"encryption-data" in (read_optional_member(archive, "META-INF/manifest.xml", limits) or b""):
        raise Reject("encrypted", "The file needs a password.")


def reject_encrypted(member: zipfile.ZipInfo) -> None:
    """Raise Reject if a member is encrypted."""
    if is_encrypted(member):
        raise Reject("encrypted", "The file needs a password.")


def is_encrypted(member: zipfile.ZipInfo) -> bool:
    """Return whether a member is encrypted."""
    return bool(member.flag_bits & _ENCRYPTED_FLAG)


def is_system_file(name: str) -> bool:
    """Return whether a member was added by an operating system, not by a user."""
    return any(part in name for part in _SYSTEM_FILES)


def printable_name(name: str) -> str:
    """Return the full name of a member, with unprintable characters replaced."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    # A larger request would let zipfile unpack more before it detects a wrong size.
    with archive.open(member) as stream:
        return stream.read(member.file_size + 1)


def _check_archive(archive: zipfile.ZipFile, limits: Limits) -> None:
    members = archive.infolist()
    if len(members) > limits.archive_members:
        raise Reject("validation", f"The archive has more than {limits.archive_members:,} members.")
    check_unpacked_size(sum(member.file_size for member in members), limits)
    for member in members:
        check_ratio(member.file_size, member.compress_size, limits)


def check_unpacked_size(unpacked: int, limits: Limits) -> None:
    """Raise Reject if the unpacked size exceeds the limit."""
    if unpacked > limits.unpacked_bytes:
        max_megabytes = limits.unpacked_bytes // MEGABYTE
        raise Reject("validation", f"The archive would unpack to more than {max_megabytes:,} MB.")


def check_ratio(unpacked: int, packed: int, limits: Limits) -> None:
    """Raise Reject if the compression ratio exceeds the limit."""
    if unpacked > _MIN_RATIO_BYTES and unpacked > max(1, packed) * limits.unpacked_ratio:
        ratio = unpacked // max(1, packed)
        raise Reject("validation", f"The archive would unpack to {ratio:,} times its size, like a decompression bomb.")


def _check_member_size(member: zipfile.ZipInfo, max_bytes: int) -> None:
    if member.file_size > max_bytes:
        raise Reject("validation", f"A part of the file unpacks to more than {max_bytes // MEGABYTE:,} MB.")
