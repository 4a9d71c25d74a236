"""What the sample documents say, and a small writer that turns lines into a PDF."""

from __future__ import annotations

import io
from email.message import EmailMessage

_LEASE = """LEASE AGREEMENT
This Lease Agreement is made on 3 March 2025 between Harbour Quay Estates Ltd ("Landlord")
and Northwind Chandlery GmbH ("Tenant") for the boathouse at 14 Harbour Quay.
1. Term. The lease begins on 1 April 2025 and runs for five years.
2. Rent. The Tenant pays 2,400 EUR a month, in advance, on the first working day.
3. Repairs. The Landlord keeps roof and slipway in repair; the Tenant keeps the interior.
4. Governing law. This agreement is governed by the law of England and Wales.
"""
_INVOICE = """INVOICE 2025-0417
Seller: Northwind Chandlery GmbH, Speicherstrasse 8, Hamburg
Buyer: Sailing School Albatross
Date: 17 April 2025        Due: 1 May 2025
12 mooring lines, 16 mm            384.00 EUR
 2 bilge pumps                     259.80 EUR
Net 643.80 EUR    VAT 19 % 122.32 EUR    Total 766.12 EUR
"""
_NOTE = """# Work order 1182: port engine overheats

Reported by the skipper on 2 May 2025. Cooling water runs low above 1,800 rpm.

Found: the raw-water impeller had lost two blades; a blade blocked the heat exchanger.

Done: impeller and gasket replaced, heat exchanger flushed, test run of 40 minutes at 82 degrees.
"""

_RECEIPT = """HARBOUR FUEL STATION
Pier 3, Northport
Receipt 90412
6 May 2025  07:42
Marine diesel  86.40 l
Price per litre  1.62
Total  EUR 139.97
Card payment
Thank you, and fair winds!
"""
_LETTER = """Dear Ms Petersen,

the surveyor looked at the boathouse on Monday. Two planks of the slipway are rotten and must be replaced
before the season; his list of parts is attached.

Kind regards
Jonas Lind
"""
_PARTS = """part,number,price EUR
slipway plank 4 m,2,118.00
stainless bolt M12,24,3.10
"""


def sample_documents() -> list[tuple[str, bytes]]:
    """Name and bytes of every sample."""
    return [
        (
            "lease-harbour-quay.pdf",
            text_pdf(_LEASE.splitlines(), title="Lease of the boathouse at Harbour Quay"),
        ),
        ("invoice-2025-0417.pdf", text_pdf(_INVOICE.splitlines())),
        ("work-order-1182.md", _NOTE.encode()),
        ("fuel-receipt.png", picture_of(_RECEIPT.splitlines())),
        ("slipway-survey.eml", letter(_LETTER, _PARTS)),
    ]


def picture_of(lines: list[str]) -> bytes:
    """A picture of these lines, a little askew as photographs are."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (760, 90 + 52 * len(lines)), 250)
    font = ImageFont.load_default(size=34)
    for number, line in enumerate(lines):
        ImageDraw.Draw(picture).text((60, 45 + 52 * number), line, 40, font)
    file = io.BytesIO()
    picture.rotate(1.5, fillcolor=250).save(file, "PNG")
    return file.getvalue()


def letter(text: str, attached: str) -> bytes:
    """An e-mail with a list of parts attached."""
    message = EmailMessage()
    message["From"] = "Jonas Lind <jonas@harbour-quay.example>"
    message["To"] = "Ada Petersen <ada@northwind.example>"
    message["Date"] = "Tue, 06 May 2025 09:15:00 +0200"
    message["Subject"] = "Survey of the slipway"
    message.set_content(text)
    message.add_attachment(attached, subtype="csv", filename="parts.csv")
    return message.as_bytes()


def text_pdf(lines: list[str], title: str | None = None) -> bytes:
    """A one-page PDF with these lines in a standard font."""
    shown = " T* ".join(f"({_escaped(line)}) Tj" for line in lines)
    content = f"BT /F1 11 Tf 14 TL 64 770 Td {shown} ET".encode("latin-1", "replace")
    return _assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
                b" /Resources << /Font << /F1 5 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            f"<< /Title ({_escaped(title or '')}) >>".encode("latin-1", "replace"),
        ]
    )


def _assembled(objects: list[bytes]) -> bytes:
    body, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, text in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    start, size = len(body), len(objects) + 1
    body += b"xref\n0 %d\n0000000000 65535 f \n" % size
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        size - 1,
        start,
    )
    return bytes(body)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
