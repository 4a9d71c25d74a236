"""Zip files opened with care: sizes are checked before anything is unpacked, and nothing is written."""

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

_STEP = 1 << 20
# What operating systems leave in archives for themselves.
_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_RATIO_COUNTS_FROM = 10 * MEGABYTE  # small parts of zeros are common and harm nobody
_LOCKED = 0x1
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
)


@contextmanager
def opened(path: Path, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """The archive, once its directory promises to stay within the limits; damage becomes a reason."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check(archive, limits)
            yield archive
    except DAMAGE as error:
        raise Reject("corrupt", "The file is damaged: what is packed inside cannot be read.") from error


def read(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes:
    """One member; a directory that lies about its size ends in an error, not in a full memory."""
    member = archive.getinfo(name)
    refuse_locked(member)
    _check_size(member, limits.part_bytes)
    return _unpacked(archive, member)


def read_place(archive: zipfile.ZipFile, place: int, limits: Limits) -> bytes:
    """The member at a place of the directory: names may occur twice, and only here they do not matter."""
    member = archive.infolist()[place]
    refuse_locked(member)
    _check_size(member, limits.upload_bytes)
    return _unpacked(archive, member)


def read_if_there(archive: zipfile.ZipFile, name: str, limits: Limits) -> bytes | None:
    """One member, or None when there is none of that name."""
    return read(archive, name, limits) if name in archive.NameToInfo else None


@contextmanager
def part(archive: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[BinaryIO]:
    """One member as a stream."""
    member = archive.getinfo(name)
    refuse_locked(member)
    _check_size(member, limits.part_bytes)
    with archive.open(member) as stream:
        yield cast("BinaryIO", stream)


def pieces(archive: zipfile.ZipFile, name: str, limits: Limits) -> Iterator[bytes]:
    """One member, a megabyte at a time."""
    with part(archive, name, limits) as stream:
        while piece := stream.read(_STEP):
            yield piece


def read_through(archive: zipfile.ZipFile, name: str, limits: Limits) -> None:
    """Make sure that a member is as long as the directory says, for libraries that would not check."""
    for _ in pieces(archive, name, limits):
        pass


def refuse_locked(member: zipfile.ZipInfo) -> None:
    """Say so when a member needs a password."""
    if is_locked(member):
        raise Reject("encrypted", "The file needs a password.")


def is_locked(member: zipfile.ZipInfo) -> bool:
    """Whether a member needs a password."""
    return bool(member.flag_bits & _LOCKED)


def is_litter(name: str) -> bool:
    """Whether a member is nothing that a person has put there."""
    return any(part in name for part in _LITTER)


def shown(name: str) -> str:
    """The whole name of a member, as it can be printed."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    # Asked for more than the directory says, the unpacker would unpack more before it notices the lie.
    with archive.open(member) as stream:
        return stream.read(member.file_size + 1)


def _check(archive: zipfile.ZipFile, limits: Limits) -> None:
    members = archive.infolist()
    if len(members) > limits.archive_members:
        raise Reject("validation", f"The archive has more than {limits.archive_members:,} members.")
    check_bytes(sum(member.file_size for member in members), limits)
    for member in members:
        check_ratio(member.file_size, member.compress_size, limits)


def check_bytes(unpacked: int, limits: Limits) -> None:
    """Refuse what unpacks to more than we want to handle."""
    if unpacked > limits.unpacked_bytes:
        most = limits.unpacked_bytes // MEGABYTE
        raise Reject("validation", f"The archive would unpack to more than {most:,} MB.")


def check_ratio(unpacked: int, packed: int, limits: Limits) -> None:
    """Refuse what unpacks to far more than it is."""
    if unpacked > _RATIO_COUNTS_FROM and unpacked > max(1, packed) * limits.unpacked_ratio:
        times = unpacked // max(1, packed)
        raise Reject("validation", f"The archive would unpack to {times:,} times its size, as bombs do.")


def _check_size(member: zipfile.ZipInfo, most: int) -> None:
    if member.file_size > most:
        raise Reject("validation", f"A part of the file unpacks to more than {most // MEGABYTE:,} MB.")
