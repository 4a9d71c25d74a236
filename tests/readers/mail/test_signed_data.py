"""CMS signed data is read; encrypted data is rejected with a reason."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from docyard.model.limits import Limits
from docyard.readers import formats
from tests.builders.file_reads import read_file, read_rejection
from tests.builders.pdf.pdfs import make_text_pdf

SIGNED, DATA, ENVELOPED = (bytes.fromhex(f"2a864886f70d01070{kind}") for kind in (2, 1, 3))
HEAD = b"From: Ann <ann@example.org>\r\nTo: Bob <b@example.org>\r\nSubject: Keys\r\nMIME-Version: 1.0\r\n"
INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\nThe keys are with the neighbour.\r\n"


def element(tag: int, content: bytes, *, indefinite: bool = False) -> bytes:
    if indefinite:
        return bytes([tag, 0x80]) + content + b"\x00\x00"
    size = len(content)
    length = bytes([size]) if size < 128 else b"\x84" + size.to_bytes(4, "big")
    return bytes([tag]) + length + content


def signed(content: bytes, *, indefinite: bool = False) -> bytes:
    """Wrap content as CMS signed data; if `indefinite`, in segments and without a definite length."""
    halves = content[:9], content[9:]
    segments = element(0x24, b"".join(element(4, half) for half in halves), indefinite=True)
    wrapped = element(0xA0, segments if indefinite else element(4, content), indefinite=indefinite)
    inner = element(0x30, element(6, DATA) + wrapped, indefinite=indefinite)
    signed_data = element(0x30, element(2, b"\x01") + element(0x31, b"") + inner, indefinite=indefinite)
    return element(0x30, element(6, SIGNED) + element(0xA0, signed_data, indefinite=indefinite), indefinite=indefinite)


def message(content: bytes) -> bytes:
    content_type = b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return HEAD + content_type + base64.encodebytes(content)


indefinite = pytest.mark.parametrize("indefinite", [False, True])


@indefinite
def test_reads_a_signed_message(tmp_path: Path, indefinite: bool) -> None:
    found = read_file(tmp_path, message(signed(INNER, indefinite=indefinite)))
    assert "The keys are with the neighbour." in found.pages[0].text
    assert not found.attachments


@indefinite
def test_extracts_the_file_from_a_signed_file(tmp_path: Path, indefinite: bool) -> None:
    invoice = make_text_pdf(["Invoice 4711"])
    made = signed(invoice, indefinite=indefinite)
    found = read_file(tmp_path, made, "invoice.pdf.p7m")
    assert [(each.name, each.size) for each in found.attachments] == [("signed file.pdf", len(invoice))]
    path = tmp_path / "again"
    path.write_bytes(made)
    extracted = formats.read_member(path, "application/pkcs7-mime", found.attachments[0].member, Limits())
    assert extracted == invoice


def test_reports_encrypted_content(tmp_path: Path) -> None:
    enveloped = element(0x30, element(6, ENVELOPED) + element(0xA0, b"secret"))
    assert read_rejection(tmp_path, enveloped)[0] == "encrypted"
    assert "encrypted" in read_file(tmp_path, message(enveloped)).notes[0]


@pytest.mark.parametrize("cut", [20, 40, 60])
def test_rejects_truncated_signed_data(tmp_path: Path, cut: int) -> None:
    assert read_rejection(tmp_path, signed(INNER)[:cut])[0] == "unsupported_file_type"
    assert read_file(tmp_path, message(signed(INNER)[:cut])).pages
