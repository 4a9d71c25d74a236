"""Office Open XML and OpenDocument files, built from their parts."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"

HEADINGS = """
    <w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
    <w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H1"/></w:style>
"""
LISTS = """
    <w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>
      <w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
"""


def make_zip(members: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Build a zip file with these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """Return the XML of a paragraph of a Word document."""
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def docx(body: str, *, prolog: str = "", title: str = "", **others: str) -> bytes:
    """Build a Word document with this body; other parts are given by name, such as header1 or footnotes."""
    styles, numbering = others.pop("styles", HEADINGS), others.pop("numbering", LISTS)
    parts = {
        "styles": f'<w:styles xmlns:w="{_W}">{styles}</w:styles>',
        "numbering": f'<w:numbering xmlns:w="{_W}">{numbering}</w:numbering>',
        **{name: f'<w:x xmlns:w="{_W}">{content}</w:x>' for name, content in others.items()},
    }
    root = f'<w:document xmlns:w="{_W}" xmlns:r="{_R}">'
    kinds = {name: name.rstrip("0123456789") for name in parts}
    return make_zip(
        {
            "[Content_Types].xml": content_types(f"{_OFFICE}wordprocessingml.document"),
            "_rels/.rels": relationships(("officeDocument", "word/document.xml")),
            "docProps/core.xml": f'<p xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></p>',
            "word/document.xml": f"{prolog}{root}<w:body>{body}</w:body></w:document>",
            "word/_rels/document.xml.rels": relationships(*((kinds[name], f"{name}.xml") for name in parts)),
            **{f"word/{name}.xml": content for name, content in parts.items()},
        }
    )


def content_types(main: str) -> str:
    """Return the content types of a package whose main part has this type."""
    return f'<Types><Override PartName="/x" ContentType="{main}.main+xml"/></Types>'


def relationships(*targets: tuple[str, str], external: bool = False) -> str:
    """Return relationships of these types to these targets, with ids r0, r1 and so on."""
    mode = ' TargetMode="External"' if external else ""
    entries = (
        f'<Relationship Id="r{index}" Type="{_R}/{kind}" Target="{target}"{mode}/>'
        for index, (kind, target) in enumerate(targets)
    )
    return f'<Relationships xmlns="{_PACKAGE}">{"".join(entries)}</Relationships>'


def xlsx(
    rows: Sequence[str], *, prolog: str = "", name: str = "Data", others: Mapping[str, str] | None = None
) -> bytes:
    """Build a workbook with one sheet; each row is the XML of its cells, other parts are given by name."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    written = "".join(f'<row r="{number}">{cells}</row>' for number, cells in enumerate(rows, start=1))
    data = f"<sheetData>{written}</sheetData>"
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    return make_zip(
        {
            "[Content_Types].xml": content_types(f"{_OFFICE}spreadsheetml.sheet"),
            "_rels/.rels": relationships(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'{prolog}<workbook xmlns="{main}" xmlns:r="{_R}"><sheets>'
            f'<sheet name="{name}" sheetId="1" r:id="r0"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relationships(
                ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")
            ),
            "xl/styles.xml": f'<styleSheet xmlns="{main}">{styles}</styleSheet>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}">{data}</worksheet>',
            **(others or {}),
        }
    )


def text_cell(reference: str, text: str) -> str:
    """Return the XML of a cell with text."""
    return f'<c r="{reference}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def number_cell(reference: str, value: float, style: int = 0) -> str:
    """Return the XML of a cell with a number; style 1 formats it as a date."""
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def odf(body: str, kind: str = "text", *, prolog: str = "", title: str = "", styles: str = "") -> bytes:
    """Build an OpenDocument file of this kind."""
    namespaces = " ".join(
        f'xmlns:{name}="{_ODF}{uri}"'
        for name, uri in {
            "office": "office:1.0",
            "text": "text:1.0",
            "table": "table:1.0",
            "draw": "drawing:1.0",
            "presentation": "presentation:1.0",
        }.items()
    )
    meta = f'<office:document-meta {namespaces} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
    return make_zip(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0"/>',
            "meta.xml": f"{meta}<dc:title>{title}</dc:title></office:meta></office:document-meta>",
            "content.xml": f"{prolog}<office:document-content {namespaces}><office:body><office:{kind}>{body}"
            f"</office:{kind}></office:body></office:document-content>",
            "styles.xml": styles or "<styles/>",
        }
    )
