"""Spreadsheets: each sheet under its name, its cells as Markdown tables with formatted values."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import unescape

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown, xml_tree, zip_archive
from docyard.readers.office import package
from docyard.readers.sheets import sheet_extras
from docyard.readers.sheets.number_formats import NumberFormat, format_number, read_number_formats
from docyard.readers.sheets.xls_extents import read_extents
from docyard.readers.sheets.xlsb_extents import read_extent

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BINARY_SHEET = re.compile(r"xl/worksheets/[^/]+\.bin")
_REFERENCE = re.compile(rb'<(?:\w+:)?(?:c|row) [^>]*?\br="([A-Z]{0,3})(\d{1,7})"(?:[^>]*?\bs="(\d{1,5})")?')
# A cell with a formula that no program has computed.
_FORMULA = re.compile(
    rb'<(?:\w+:)?c (?![^>]*\bt="str")[^>]*?\br="([A-Z]{1,3})(\d{1,7})"[^>]*>\s*<(?:\w+:)?f\b[^>]*>'
    rb"([^<]{1,300})</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</"
)
_UNCOMPUTED_NOTE = "Cells whose formulas were never computed, shown as formulas: {:,}."
_MAX_REFERENCE_BYTES = 400
_DURATION = re.compile(r"PT(\d{1,6})H(\d\d)M(\d\d)(?:\.\d+)?S")  # a duration in OpenDocument
_MAX_COLUMNS = 400  # shown per sheet
_MAX_ROWS = 200_000  # shown per sheet

_MAX_FORMATTED_CELLS = 1_000_000  # per sheet; the formats of further cells are ignored

Row = list[str]
CellFormats = dict[tuple[int, int], NumberFormat | str]  # by row and column from zero; a string is a formula


@dataclass(frozen=True, slots=True)
class _Package:
    """Data of a workbook that the library does not return: title, blocks and cell formats by sheet, notes."""

    title: str | None = None
    blocks: dict[str, list[str]] = field(default_factory=dict)
    formats: dict[str, CellFormats] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the sheets of a workbook, including hidden ones, each on a new page."""
    package_data = _check_package(path, limits) if zipfile.is_zipfile(path) else _check_xls(path, limits)
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with path.open("rb") as file, CalamineWorkbook.from_filelike(file) as workbook:
            return _require_text(
                markdown.build_extracted(
                    _read_sheets(workbook, package_data), limits, title=package_data.title, notes=package_data.notes
                )
            )
    except PasswordError as error:
        raise Reject("encrypted", "The file needs a password.") from error
    except CalamineError as error:
        raise _damage_error() from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a Rust panic; not a subclass of Exception
            raise
        raise _damage_error() from error


def _require_text(extracted: ExtractedText) -> ExtractedText:
    if extracted.notes and not any(page.text for page in extracted.pages):
        raise _damage_error()
    return extracted


def _read_sheets(workbook: CalamineWorkbook, package_data: _Package) -> Iterator[str]:
    from python_calamine import CalamineError, SheetTypeEnum

    for sheet in workbook.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        try:
            cells = workbook.get_sheet_by_name(sheet.name)
        except CalamineError:
            package_data.notes.append(f"The sheet {sheet.name[:100]} could not be read.")
            continue
        if cells.height or package_data.blocks.get(sheet.name):
            yield markdown.NEW_PAGE
        yield markdown.heading(2, sheet.name)
        if cells.height > _MAX_ROWS or cells.width > _MAX_COLUMNS:
            package_data.notes.append(
                f"Only the first {_MAX_ROWS:,} rows and {_MAX_COLUMNS} columns "
                f"of the sheet {sheet.name[:100]} are shown."
            )
        rows = islice(cells.iter_rows(), _MAX_ROWS)
        first = cells.start[1] if cells.start else 0
        yield from make_tables(_format_rows(rows, first, package_data.formats.get(sheet.name, {})))
        yield from package_data.blocks.get(sheet.name, ())


def _format_rows(rows: Iterable[Sequence[object]], first: int, formats: CellFormats) -> Iterator[Row]:
    """Yield the cells of each row as text; `first` is the column at which rows start."""
    for number, row in enumerate(rows):
        cells = list(map(_format_value, row[:_MAX_COLUMNS]))
        for column, value in enumerate(row[:_MAX_COLUMNS]) if formats else ():
            cell_format = formats.get((number, first + column))
            if isinstance(cell_format, str):
                cells[column] = cells[column] or cell_format
            elif cell_format is not None and isinstance(value, float | int) and not isinstance(value, bool):
                cells[column] = format_number(float(value), cell_format)
        yield cells


def make_tables(rows: Iterable[Row]) -> Iterator[str]:
    """Convert rows to tables; an empty row ends a table, and a single column becomes plain text."""
    for filled, group in groupby(rows, key=any):
        if filled:
            yield from _make_table(list(group))


def _make_table(rows: list[Row]) -> Iterator[str]:
    used = [column for column in range(max(map(len, rows))) if any(row[column : column + 1] != [""] for row in rows)]
    if len(used) == 1:
        yield "\n".join(row[used[0]] for row in rows)
        return
    yield markdown.table([row[used[0] : used[-1] + 1] for row in rows])


def _format_value(value: object) -> str:
    """Format a value: integers without a decimal point, dates without the time if it is midnight."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _format_float(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(" ", "seconds")
        return text.removesuffix(" 00:00:00")
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return _DURATION.sub(r"\1:\2:\3", str(value).strip())


def _format_float(value: float) -> str:
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    # Spreadsheets keep fifteen digits; the rest is rounding noise of binary fractions.
    return f"{value:.15g}"


def _check_xls(path: Path, limits: Limits) -> _Package:
    for rows, columns in read_extents(path, limits):
        _check_extent(rows, columns, limits)
    return _Package()


def _check_package(path: Path, limits: Limits) -> _Package:
    """Return the data of a package that the library omits.

    Raise Reject for DTDs, wrong sizes and distant cells, because the library does not check for them.
    """
    formats_by_part: dict[str, CellFormats] = {}
    with package.open_package(path, limits) as opened:
        zipped = opened.zip
        zip_archive.reject_encrypted_manifest(zipped, limits)
        formats = _read_formats(opened)
        for name in zipped.namelist():
            if name.endswith((".xml", ".rels")):
                zip_archive.verify_member_size(zipped, name, limits)
                with zip_archive.open_member(zipped, name, limits) as stream:
                    xml_tree.reject_dtd(stream)
            if _SHEET.fullmatch(name):
                formats_by_part[name] = _scan_cells(zip_archive.read_chunks(zipped, name, limits), formats, limits)
            elif _BINARY_SHEET.fullmatch(name):
                _check_extent(*read_extent(zip_archive.read_member(zipped, name, limits)), limits)
        if "xl/workbook.xml" not in zipped.NameToInfo:
            return _Package(opened.read_title())
        parts = sheet_extras.find_sheet_parts(opened)
        blocks, notes = sheet_extras.read(opened, parts)
        by_name = {name: formats_by_part.get(part, {}) for name, part in parts.items()}
        uncomputed = sum(
            isinstance(cell_format, str) for cells in formats_by_part.values() for cell_format in cells.values()
        )
        notes += [_UNCOMPUTED_NOTE.format(uncomputed)] if uncomputed else []
        return _Package(opened.read_title(), blocks, by_name, notes)


def _read_formats(opened: package.Package) -> dict[bytes, NumberFormat]:
    """Return the number formats by style number as bytes; an empty dict if the styles are damaged."""
    try:
        return {
            b"%d" % style: number_format
            for style, number_format in read_number_formats(opened.parse_part("xl/styles.xml")).items()
        }
    except Reject:
        return {}


def _scan_cells(chunks: Iterable[bytes], formats: dict[bytes, NumberFormat], limits: Limits) -> CellFormats:
    """Check the extent of a sheet, and return the cells with a number format or an uncomputed formula.

    The library allocates the whole bounding rectangle, so two distant cells can exhaust the memory.
    """
    cell_formats: CellFormats = {}
    columns: set[bytes] = set()
    rows = 0
    overlap = b""
    for chunk in chunks:
        text = overlap + chunk
        references = set(_REFERENCE.findall(text))
        columns.update(column for column, _, _ in references)
        rows = max(rows, max((int(row) for _, row, _ in references), default=0))
        for column, row, style in references if len(cell_formats) < _MAX_FORMATTED_CELLS and formats else ():
            if column and style in formats:
                cell_formats[int(row) - 1, _column_number(column) - 1] = formats[style]
        for column, row, formula in _FORMULA.findall(text) if len(cell_formats) < _MAX_FORMATTED_CELLS else ():
            cell_formats[int(row) - 1, _column_number(column) - 1] = f"={unescape(formula.decode('utf-8', 'replace'))}"
        overlap = text[-_MAX_REFERENCE_BYTES:]
    _check_extent(rows, max(map(_column_number, columns), default=0), limits)
    return cell_formats


def _check_extent(rows: int, columns: int, limits: Limits) -> None:
    if rows * columns > limits.sheet_cells:
        raise Reject("validation", f"A sheet spans more than {limits.sheet_cells:,} cells.")


def _column_number(letters: bytes) -> int:
    number = 0
    for character in letters:
        number = number * 26 + character - 64
    return number


def _damage_error() -> Reject:
    return Reject("corrupt", "The file is damaged: its sheets cannot be read.")
