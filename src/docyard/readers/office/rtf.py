"""RTF as Markdown: paragraphs, headings, tables, notes and comments; images are skipped."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText
from docyard.readers import markdown

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
# Destinations that are not part of the text; groups that begin with \* are skipped as well.
_SKIPPED_WORDS = """
    colortbl datastore filetbl fldinst generator latentstyles listoverridetable listtable objdata pict
    pgptbl private revtbl rsidtbl themedata xmlnstbl author operator comment doccomm company manager
    category keywords subject hlinkbase creatim revtim printim buptim pntext pntxta pntxtb bkmkstart
    bkmkend sp nonshppict userprops docvar tc xe txe rxe fchars lchars colorschememapping defchp
    defpap ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn atnid atndate template
    listtext
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
_SPECIAL_CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "endash": "–",
    "emdash": "—",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
}
_CONTROL_SYMBOLS = {"~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n", "\r": "\n"}
_CHARSETS = {128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
             186: 1257, 204: 1251, 222: 874, 238: 1250, 77: 10000}  # fmt: skip
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_BODY_LEVEL = 9
_NESTED_TEXTS = ("shptxt", "footnote", "annotation")
_MAX_NESTING = 20


@dataclass(frozen=True, slots=True)
class _Group:
    """The state inside one pair of braces."""

    skipped: bool = False
    hidden: bool = False  # or deleted
    destination: str = ""
    encoding: str = "cp1252"
    fallback_length: int = 1  # characters to skip after a Unicode character


@dataclass(frozen=True, slots=True)
class _Saved:
    """The state of a text, saved while a nested text (a box, a note or a comment) is read."""

    kind: str
    depth: int  # brace depth of the nested text
    runs: list[str]
    cells: list[str]
    rows: list[list[str]]
    blocks: list[str]
    in_table: bool
    level: int


@dataclass(slots=True)
class _Reader:
    """The state of the parser: finished blocks, and the current paragraph and table."""

    group: _Group = field(default_factory=_Group)
    outer_groups: list[_Group] = field(default_factory=list)
    default_encoding: str = "cp1252"
    fonts: dict[str, str] = field(default_factory=dict)
    font: str = ""
    styles: dict[str, int] = field(default_factory=dict)
    style: str = ""
    title: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    skip: int = 0  # characters still to skip after a Unicode character
    at_group_start: bool = False
    level: int = _BODY_LEVEL
    in_table: bool = False
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    saved: list[_Saved] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return the text of the file, with the title from its information group."""
    blocks, title = parse_blocks(path.read_bytes().decode("latin-1"))
    return markdown.build_extracted(blocks, limits, title=title)


def parse_blocks(source: str) -> tuple[list[str], str]:
    """Return the blocks of an RTF source, and its title."""
    reader = _Reader()
    offset = 0
    while found := _TOKEN.match(source, offset):
        word, number, code, symbol, brace, text = found.groups()
        offset = found.end()
        if code is not None:
            _handle_byte(reader, int(code, 16))
            continue
        _flush_bytes(reader)
        if brace is not None:
            _handle_brace(reader, brace)
        elif symbol is not None:
            _handle_symbol(reader, symbol)
        elif text is not None:
            _handle_text(reader, text)
        elif word is not None:
            _handle_word(reader, word, number)
            offset += max(0, int(number or 0)) if word == "bin" else 0
        reader.at_group_start = brace == "{"
    _flush_bytes(reader)
    return _finish(reader), "".join(reader.title).strip()


def _finish(reader: _Reader) -> list[str]:
    """End all open texts, even if their braces are not closed, and return the blocks, with notes last."""
    while reader.saved:
        _end_nested(reader)
    _end_paragraph(reader)
    _end_table(reader)
    return reader.blocks + reader.notes


def _handle_brace(reader: _Reader, brace: str) -> None:
    reader.skip = 0
    if brace == "{":
        reader.outer_groups.append(reader.group)
    elif reader.outer_groups:
        if reader.saved and reader.saved[-1].depth == len(reader.outer_groups):
            _end_nested(reader)
        reader.group = reader.outer_groups.pop()


def _begin_nested(reader: _Reader, kind: str) -> None:
    """Begin a nested text, which is read even if its group is marked as optional."""
    if len(reader.saved) >= _MAX_NESTING or not reader.outer_groups:
        return
    reader.saved.append(
        _Saved(
            kind,
            len(reader.outer_groups),
            reader.runs,
            reader.cells,
            reader.rows,
            reader.blocks,
            reader.in_table,
            reader.level,
        )
    )
    reader.runs, reader.cells, reader.rows, reader.blocks = [], [], [], []
    reader.in_table, reader.level = False, _BODY_LEVEL
    reader.group = replace(reader.group, skipped=False, destination="")


def _end_nested(reader: _Reader) -> None:
    """End a nested text: put a box before its paragraph, and a footnote or comment into the notes."""
    state = reader.saved.pop()
    reader.group = replace(reader.group, skipped=False, destination="")
    _end_paragraph(reader)
    _end_table(reader)
    nested_blocks = reader.blocks
    reader.runs, reader.cells, reader.rows, reader.blocks = state.runs, state.cells, state.rows, state.blocks
    reader.in_table, reader.level = state.in_table, state.level
    if state.kind == "shptxt":
        if not reader.in_table:
            _end_table(reader)
        reader.blocks += nested_blocks
    elif nested_blocks:
        number = len(reader.notes) + 1
        prefix, label = ("", "") if state.kind == "footnote" else ("c", f"{_take_comment_label(reader)}: ")
        reader.runs.append(f"[^{prefix}{number}]")
        reader.notes.append(f"[^{prefix}{number}]: {label}{' '.join(nested_blocks)}")


def _take_comment_label(reader: _Reader) -> str:
    author = "".join(reader.author)
    reader.author.clear()
    return markdown.comment_label(author, "")


def _handle_symbol(reader: _Reader, symbol: str) -> None:
    if symbol == "*":
        # At the start of a group the symbol makes the group optional; elsewhere it is ignored.
        reader.group = replace(reader.group, skipped=reader.group.skipped or reader.at_group_start)
    elif symbol in ("\n", "\r"):
        _end_paragraph(reader)
    else:
        _append_text(reader, _CONTROL_SYMBOLS.get(symbol, ""))


def _handle_byte(reader: _Reader, value: int) -> None:
    if reader.skip:
        reader.skip -= 1
    else:
        reader.raw.append(value)


def _flush_bytes(reader: _Reader) -> None:
    """Decode the pending hex bytes together, because one character may take several bytes."""
    if reader.raw:
        text = bytes(reader.raw).decode(reader.group.encoding, "replace")
        reader.raw.clear()
        _append_text(reader, text)


def _handle_text(reader: _Reader, text: str) -> None:
    skipped = min(reader.skip, len(text))
    reader.skip -= skipped
    text = text[skipped:]
    if not text.isascii():  # raw bytes above ASCII are in the current charset
        text = text.encode("latin-1").decode(reader.group.encoding, "replace")
    _append_text(reader, text)


def _append_text(reader: _Reader, text: str) -> None:
    group = reader.group
    if group.destination in ("title", "atnauthor"):
        (reader.title if group.destination == "title" else reader.author).append(text)
    elif group.destination == "stylesheet":
        if match := _HEADING.match(text.strip()):
            reader.styles[reader.style] = int(match[1]) - 1
    elif not group.skipped and not group.destination and not group.hidden:
        reader.runs.append(text)


def _handle_word(reader: _Reader, word: str, number: str | None) -> None:
    reader.skip = 0
    if word in _SKIPPED:
        reader.group = replace(reader.group, skipped=True)
    elif word in ("title", "stylesheet", "fonttbl", "info", "atnauthor"):
        reader.group = replace(reader.group, destination=word)
    elif word in _NESTED_TEXTS:
        _begin_nested(reader, word)
    elif word in ("v", "deleted", "plain"):
        reader.group = replace(reader.group, hidden=word != "plain" and number != "0")
    elif word in _SPECIAL_CHARACTERS:
        _append_text(reader, _SPECIAL_CHARACTERS[word])
    elif (action := _ACTIONS.get(word)) is not None:
        action(reader, int(number) if number else 0)


def _append_unicode(reader: _Reader, number: int) -> None:
    value = number + 0x10000 if number < 0 else number
    _append_text(reader, chr(value) if 0 <= value < 0x110000 else "")
    reader.skip = reader.group.fallback_length


def _set_charset(reader: _Reader, number: int) -> None:
    reader.default_encoding = _codec_name(number)
    reader.group = replace(reader.group, encoding=reader.default_encoding)


def _set_font(reader: _Reader, number: int) -> None:
    reader.font = str(number)
    if reader.group.destination != "fonttbl":
        reader.group = replace(reader.group, encoding=reader.fonts.get(reader.font, reader.default_encoding))


def _set_font_charset(reader: _Reader, number: int) -> None:
    if reader.group.destination == "fonttbl" and number in _CHARSETS:
        reader.fonts[reader.font] = _codec_name(_CHARSETS[number])


def _set_style(reader: _Reader, number: int) -> None:
    reader.style = str(number)
    if reader.group.destination != "stylesheet":
        reader.level = reader.styles.get(reader.style, _BODY_LEVEL)


def _reset_paragraph(reader: _Reader, _: int) -> None:
    reader.level, reader.in_table, reader.style = _BODY_LEVEL, False, ""


def _set_outline_level(reader: _Reader, number: int) -> None:
    if reader.group.destination != "stylesheet":
        reader.level = number
    else:
        reader.styles[reader.style] = number


def _enter_table(reader: _Reader, _: int) -> None:
    reader.in_table = True


def _end_cell(reader: _Reader, _: int) -> None:
    reader.cells.append("".join(reader.runs).strip())
    reader.runs.clear()


def _end_row(reader: _Reader, _: int) -> None:
    if reader.cells:
        reader.rows.append(reader.cells)
        reader.cells = []


def _break_paragraph(reader: _Reader, _: int) -> None:
    if reader.in_table and not reader.group.destination:
        reader.runs.append(" ")
    else:
        _end_paragraph(reader)


def _set_fallback_length(reader: _Reader, number: int) -> None:
    reader.group = replace(reader.group, fallback_length=max(0, min(number, 10)))


_ACTIONS: dict[str, Callable[[_Reader, int], None]] = {
    "u": _append_unicode,
    "uc": _set_fallback_length,
    "ansicpg": _set_charset,
    "mac": lambda reader, _: _set_charset(reader, 10000),
    "f": _set_font,
    "fcharset": _set_font_charset,
    "s": _set_style,
    "pard": _reset_paragraph,
    "outlinelevel": _set_outline_level,
    "intbl": _enter_table,
    "cell": _end_cell,
    "nestcell": _end_cell,
    "row": _end_row,
    "par": _break_paragraph,
    "sect": _break_paragraph,
    "page": _break_paragraph,
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), _break_paragraph),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), _break_paragraph),
}


def _end_paragraph(reader: _Reader) -> None:
    if reader.group.destination or reader.group.skipped:
        return
    text = "".join(reader.runs).strip()
    reader.runs.clear()
    _end_table(reader)
    if text and reader.level < _BODY_LEVEL:
        reader.blocks.append(markdown.heading(reader.level + 1, text))
    elif text:
        reader.blocks.append(markdown.list_item(text[1:]) if text.startswith(("•", "·")) else text)


def _end_table(reader: _Reader) -> None:
    if reader.cells:
        _end_row(reader, 0)
    if any(map(any, reader.rows)):
        reader.blocks.append(markdown.table(reader.rows))
    reader.rows = []


def _codec_name(page: int) -> str:
    name = {10000: "mac_roman", 65001: "utf-8"}.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
