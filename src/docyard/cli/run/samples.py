"""The sample documents, and functions that write them as PDF, PNG and e-mail files."""

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
_WORK_ORDER = """# Work order 1182: port engine overheats

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
_EMAIL = """Dear Ms Petersen,

the surveyor looked at the boathouse on Monday. Two planks of the slipway are rotten and must be replaced
before the season; his list of parts is attached.

Kind regards
Jonas Lind
"""
_PARTS = """part,number,price EUR
slipway plank 4 m,2,118.00
stainless bolt M12,24,3.10
"""


def make_sample_documents() -> list[tuple[str, bytes]]:
    """Return the name and content of every sample document."""
    return [
        ("lease-harbour-quay.pdf", make_text_pdf(_LEASE.splitlines(), title="Lease of the boathouse at Harbour Quay")),
        ("invoice-2025-0417.pdf", make_text_pdf(_INVOICE.splitlines())),
        ("work-order-1182.md", _WORK_ORDER.encode()),
        ("fuel-receipt.png", render_image(_RECEIPT.splitlines())),
        ("slipway-survey.eml", make_email(_EMAIL, _PARTS)),
    ]


def render_image(lines: list[str]) -> bytes:
    """Return a PNG image of these lines, slightly rotated like a photograph."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (760, 90 + 52 * len(lines)), 250)
    font = ImageFont.load_default(size=34)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((60, 45 + 52 * number), line, 40, font)
    file = io.BytesIO()
    image.rotate(1.5, fillcolor=250).save(file, "PNG")
    return file.getvalue()


def make_email(text: str, attachment: str) -> bytes:
    """Return an e-mail with a CSV attachment."""
    message = EmailMessage()
    message["From"] = "Jonas Lind <jonas@harbour-quay.example>"
    message["To"] = "Ada Petersen <ada@northwind.example>"
    message["Date"] = "Tue, 06 May 2025 09:15:00 +0200"
    message["Subject"] = "Survey of the slipway"
    message.set_content(text)
    message.add_attachment(attachment, subtype="csv", filename="parts.csv")
    return message.as_bytes()


def make_text_pdf(lines: list[str], title: str | None = None) -> bytes:
    """Return a one-page PDF with these lines in Helvetica."""
    operators = " T* ".join(f"({_escape_string(line)}) Tj" for line in lines)
    content = f"BT /F1 11 Tf 14 TL 64 770 Td {operators} ET".encode("latin-1", "replace")
    return _assemble_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
                b" /Resources << /Font << /F1 5 0 R >> >> >>"
            ),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            f"<< /Title ({_escape_string(title or '')}) >>".encode("latin-1", "replace"),
        ]
    )


def _assemble_pdf(objects: list[bytes]) -> bytes:
    body, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    xref_offset, size = len(body), len(objects) + 1
    body += b"xref\n0 %d\n0000000000 65535 f \n" % size
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    body += b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, size - 1, xref_offset)
    return bytes(body)


def _escape_string(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
