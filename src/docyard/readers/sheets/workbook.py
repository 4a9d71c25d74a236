"""Spreadsheets: each sheet under its name, its cells as Markdown tables, values as people write them."""

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
from docyard.model.values import Extracted
from docyard.readers import markdown, xml_tree, zip_container
from docyard.readers.office import package
from docyard.readers.sheets import notes as sheet_notes
from docyard.readers.sheets.number_formats import Shown, formats_of, written
from docyard.readers.sheets.xls_cells import extents
from docyard.readers.sheets.xlsb_cells import extent

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_BINARY_SHEET = re.compile(r"xl/worksheets/[^/]+\.bin")
_REFERENCE = re.compile(rb'<(?:\w+:)?(?:c|row) [^>]*?\br="([A-Z]{0,3})(\d{1,7})"(?:[^>]*?\bs="(\d{1,5})")?')
# A cell that a program filled with a formula and no other program has computed yet.
_FORMULA = re.compile(
    rb'<(?:\w+:)?c (?![^>]*\bt="str")[^>]*?\br="([A-Z]{1,3})(\d{1,7})"[^>]*>\s*<(?:\w+:)?f\b[^>]*>'
    rb"([^<]{1,300})</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</"
)
_NEVER_COMPUTED = "{:,} cells hold formulas that no program has computed; the formulas are shown."
_LONGEST_REFERENCE = 400
_LASTING = re.compile(r"PT(\d{1,6})H(\d\d)M(\d\d)(?:\.\d+)?S")  # as OpenDocument writes how long
_WIDEST = 400  # columns that are shown
_MOST_ROWS = 200_000  # rows of a sheet that are shown

_MOST_SHOWN = 1_000_000  # cells whose format is looked at

Row = list[str]
Places = dict[tuple[int, int], Shown | str]  # by row and column from nought; a formula stands for its value


@dataclass(frozen=True, slots=True)
class _Package:
    """What a package says that the library does not: title, blocks and formats by sheet, and notes."""

    title: str | None = None
    beside: dict[str, list[str]] = field(default_factory=dict)
    shown: dict[str, Places] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read(path: Path, limits: Limits) -> Extracted:
    """The sheets of a workbook, hidden ones too, each beginning a page."""
    told = _check(path, limits) if zipfile.is_zipfile(path) else _check_old(path, limits)
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with path.open("rb") as file, CalamineWorkbook.from_filelike(file) as workbook:
            return _not_empty_handed(
                markdown.extracted(_sheets(workbook, told), limits, title=told.title, notes=told.notes)
            )
    except PasswordError as error:
        raise Reject("encrypted", "The file needs a password.") from error
    except CalamineError as error:
        raise _damaged() from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a fault inside the library, which is no Exception
            raise
        raise _damaged() from error


def _not_empty_handed(found: Extracted) -> Extracted:
    if found.notes and not any(page.text for page in found.pages):
        raise _damaged()
    return found


def _sheets(workbook: CalamineWorkbook, told: _Package) -> Iterator[str]:
    from python_calamine import CalamineError, SheetTypeEnum

    for sheet in workbook.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        try:
            found = workbook.get_sheet_by_name(sheet.name)
        except CalamineError:
            told.notes.append(f"The sheet {sheet.name[:100]} could not be read.")
            continue
        if found.height or told.beside.get(sheet.name):
            yield markdown.NEW_PAGE
        yield markdown.heading(2, sheet.name)
        if found.height > _MOST_ROWS or found.width > _WIDEST:
            told.notes.append(
                f"Of the sheet {sheet.name[:100]} only {_MOST_ROWS:,} rows and {_WIDEST} columns are shown."
            )
        rows = islice(found.iter_rows(), _MOST_ROWS)
        first = found.start[1] if found.start else 0
        yield from tables(_rows(rows, first, told.shown.get(sheet.name, {})))
        yield from told.beside.get(sheet.name, ())


def _rows(rows: Iterable[Sequence[object]], first: int, shown: Places) -> Iterator[Row]:
    """The cells of each row in words; `first` is the column with which rows begin."""
    for number, row in enumerate(rows):
        cells = list(map(_written, row[:_WIDEST]))
        for place, value in enumerate(row[:_WIDEST]) if shown else ():
            how = shown.get((number, first + place))
            if isinstance(how, str):
                cells[place] = cells[place] or how
            elif how is not None and isinstance(value, float | int) and not isinstance(value, bool):
                cells[place] = written(float(value), how)
        yield cells


def tables(rows: Iterable[Row]) -> Iterator[str]:
    """Rows as tables; an empty row ends one, and what fills a single column is text."""
    for filled, group in groupby(rows, key=any):
        if filled:
            yield from _table(list(group))


def _table(rows: list[Row]) -> Iterator[str]:
    used = [
        place for place in range(max(map(len, rows))) if any(row[place : place + 1] != [""] for row in rows)
    ]
    if len(used) == 1:
        yield "\n".join(row[used[0]] for row in rows)
        return
    yield markdown.table([row[used[0] : used[-1] + 1] for row in rows])


def _written(value: object) -> str:
    """A value as people write it: whole numbers without a point, days without a midnight."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(" ", "seconds")
        return text.removesuffix(" 00:00:00")
    if isinstance(value, dt.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return _LASTING.sub(r"\1:\2:\3", str(value).strip())


def _number(value: float) -> str:
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    # Fifteen digits are what a spreadsheet keeps; the rest is noise of binary fractions.
    return f"{value:.15g}"


def _check_old(path: Path, limits: Limits) -> _Package:
    for rows, columns in extents(path, limits):
        _check_extent(rows, columns, limits)
    return _Package()


def _check(path: Path, limits: Limits) -> _Package:
    """Look at what is packed before the library unpacks it (a DTD, sizes, far cells), and what it leaves."""
    shown: dict[str, Places] = {}
    with package.opened(path, limits) as opened:
        zipped = opened.zip
        formats = _formats(opened)
        for name in zipped.namelist():
            if name.endswith((".xml", ".rels")):
                zip_container.read_through(zipped, name, limits)
                with zip_container.part(zipped, name, limits) as stream:
                    xml_tree.refuse_dtd(stream)
            if _SHEET.fullmatch(name):
                shown[name] = _check_cells(zip_container.pieces(zipped, name, limits), formats, limits)
            elif _BINARY_SHEET.fullmatch(name):
                _check_extent(*extent(zip_container.read(zipped, name, limits)), limits)
        if "xl/workbook.xml" not in zipped.NameToInfo:
            return _Package(opened.title())
        parts = sheet_notes.sheet_parts(opened)
        beside, notes = sheet_notes.read(opened, parts)
        by_name = {name: shown.get(part, {}) for name, part in parts.items()}
        open_ended = sum(isinstance(how, str) for places in shown.values() for how in places.values())
        notes += [_NEVER_COMPUTED.format(open_ended)] if open_ended else []
        return _Package(opened.title(), beside, by_name, notes)


def _formats(opened: package.Package) -> dict[bytes, Shown]:
    """How cells of a style show numbers, by the style's number as written; damage loses nothing else."""
    try:
        return {b"%d" % style: how for style, how in formats_of(opened.tree("xl/styles.xml")).items()}
    except Reject:
        return {}


def _check_cells(pieces: Iterable[bytes], formats: dict[bytes, Shown], limits: Limits) -> Places:
    """The library keeps every cell of the rectangle that holds all, so two cells can fill the memory.

    Gives the cells that show their numbers in a special way.
    """
    shown: Places = {}
    columns: set[bytes] = set()
    rows = 0
    rest = b""
    for piece in pieces:
        text = rest + piece
        found = set(_REFERENCE.findall(text))
        columns.update(column for column, _, _ in found)
        rows = max(rows, max((int(row) for _, row, _ in found), default=0))
        for column, row, style in found if len(shown) < _MOST_SHOWN and formats else ():
            if column and style in formats:
                shown[int(row) - 1, _column(column) - 1] = formats[style]
        for column, row, formula in _FORMULA.findall(text) if len(shown) < _MOST_SHOWN else ():
            shown[int(row) - 1, _column(column) - 1] = f"={unescape(formula.decode('utf-8', 'replace'))}"
        rest = text[-_LONGEST_REFERENCE:]
    _check_extent(rows, max(map(_column, columns), default=0), limits)
    return shown


def _check_extent(rows: int, columns: int, limits: Limits) -> None:
    if rows * columns > limits.sheet_cells:
        raise Reject("validation", f"A sheet spans more than {limits.sheet_cells:,} cells.")


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _damaged() -> Reject:
    return Reject("corrupt", "The file is damaged: its sheets cannot be read.")
