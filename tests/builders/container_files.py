"""Generated files with attachments: PDF files, office files with embedded objects, and archives."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping

import pypdfium2

from tests.builders.office.compound_files import make_compound
from tests.builders.office.packages import docx, paragraph, relationships
from tests.builders.pdf.pdfs import PdfPage, assemble_pdf, make_pdf


def make_pdf_with_files(files: Mapping[str, bytes], password: str | None = None) -> bytes:
    """Return a PDF of one line with these files embedded, encrypted if a password is given."""
    page = PdfPage(["An invoice with its data."])
    document = pypdfium2.PdfDocument(make_pdf([page], password=password), password=password)
    for name, data in files.items():
        document.new_attachment(name).set_data(data)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


def make_pdf_with_bomb(megabytes: int) -> bytes:
    """Return a PDF of one line with a small attachment and one that unpacks to this many megabytes."""
    compressor = zlib.compressobj(9)
    bomb = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(megabytes)) + compressor.flush()
    text = b"BT /F1 12 Tf 72 720 Td (Read all the same) Tj ET"
    names = b"<< /EmbeddedFiles << /Names [(a.txt) 5 0 R (bomb) 6 0 R] >> >>"
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources "
        b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
    )
    return assemble_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R /Names " + names + b" >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page,
            _stream(b"", text),
            b"<< /Type /Filespec /F (a.txt) /UF (a.txt) /EF << /F 7 0 R >> >>",
            b"<< /Type /Filespec /F (bomb) /UF (bomb) /EF << /F 8 0 R >> >>",
            _stream(b"/Type /EmbeddedFile", b"harmless"),
            _stream(b"/Type /EmbeddedFile /Filter /FlateDecode", bomb),
        ]
    )


def make_docx_with_parts(parts: Mapping[str, bytes]) -> bytes:
    """Return a Word document with these embedded parts, and a chart whose data is the part chart.xlsx."""
    out = io.BytesIO(docx(paragraph("See the files.")))
    with zipfile.ZipFile(out, "a") as archive:
        for name, data in parts.items():
            archive.writestr(f"word/embeddings/{name}", data)
        archive.writestr("word/charts/chart1.xml", "<c/>")
        archive.writestr("word/charts/_rels/chart1.xml.rels", relationships(("package", "../embeddings/chart.xlsx")))
    return out.getvalue()


def make_ole_package(name: str, data: bytes) -> bytes:
    """Return an OLE object that contains a file as Windows packages it."""
    label, path = name.encode() + b"\x00", b"C:\\Users\\me\\" + name.encode() + b"\x00"
    stream = b"\x02\x00" + label + path + b"\x00\x00\x03\x00"
    stream += struct.pack("<I", len(path)) + path + struct.pack("<I", len(data)) + data
    return make_compound({"\x01Ole10Native": struct.pack("<I", len(stream)) + stream})


def make_tar(files: Mapping[str, bytes], *others: tuple[str, bytes, str]) -> bytes:
    """Return a tar archive with these files, and other members given by name, type and link target."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, kind, target in others:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, target
            archive.addfile(entry)
    return out.getvalue()


def _stream(entries: bytes, data: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)
