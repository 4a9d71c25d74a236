"""What is signed as a whole can be read; what is encrypted says so."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from docyard.model.limits import Limits
from docyard.readers import formats
from tests.making.pdf.pdfs import text_pdf
from tests.making.reading import read, refusal

SIGNED, DATA, SEALED = (bytes.fromhex(f"2a864886f70d01070{kind}") for kind in (2, 1, 3))
HEAD = b"From: Ann <ann@example.org>\r\nTo: Bob <b@example.org>\r\nSubject: Keys\r\nMIME-Version: 1.0\r\n"
INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\nThe keys are with the neighbour.\r\n"


def element(tag: int, content: bytes, *, endless: bool = False) -> bytes:
    if endless:
        return bytes([tag, 0x80]) + content + b"\x00\x00"
    size = len(content)
    length = bytes([size]) if size < 128 else b"\x84" + size.to_bytes(4, "big")
    return bytes([tag]) + length + content


def signed(content: bytes, *, endless: bool = False) -> bytes:
    """Content as signing programs wrap it: with its length, or in pieces that end where they end."""
    halves = content[:9], content[9:]
    pieces = element(0x24, b"".join(element(4, half) for half in halves), endless=True)
    wrapped = element(0xA0, pieces if endless else element(4, content), endless=endless)
    inner = element(0x30, element(6, DATA) + wrapped, endless=endless)
    told = element(0x30, element(2, b"\x01") + element(0x31, b"") + inner, endless=endless)
    return element(0x30, element(6, SIGNED) + element(0xA0, told, endless=endless), endless=endless)


def message(content: bytes) -> bytes:
    kind = (
        b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    )
    return HEAD + kind + base64.encodebytes(content)


endless = pytest.mark.parametrize("endless", [False, True])


@endless
def test_a_message_signed_as_a_whole_is_read(tmp_path: Path, endless: bool) -> None:
    found = read(tmp_path, message(signed(INNER, endless=endless)))
    assert "The keys are with the neighbour." in found.pages[0].text
    assert not found.attachments


@endless
def test_a_signed_file_gives_the_file(tmp_path: Path, endless: bool) -> None:
    invoice = text_pdf(["Invoice 4711"])
    made = signed(invoice, endless=endless)
    found = read(tmp_path, made, "invoice.pdf.p7m")
    assert [(each.name, each.size) for each in found.attachments] == [("signed file.pdf", len(invoice))]
    path = tmp_path / "again"
    path.write_bytes(made)
    taken = formats.read_member(path, "application/pkcs7-mime", found.attachments[0].member, Limits())
    assert taken == invoice


def test_what_only_a_key_opens_says_so(tmp_path: Path) -> None:
    sealed = element(0x30, element(6, SEALED) + element(0xA0, b"secret"))
    assert refusal(tmp_path, sealed)[0] == "encrypted"
    assert "encrypted" in read(tmp_path, message(sealed)).notes[0]


@pytest.mark.parametrize("cut", [20, 40, 60])
def test_what_was_cut_off_is_no_crash(tmp_path: Path, cut: int) -> None:
    assert refusal(tmp_path, signed(INNER)[:cut])[0] == "unsupported_file_type"
    assert read(tmp_path, message(signed(INNER)[:cut])).pages
