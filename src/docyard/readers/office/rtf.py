"""RTF as Markdown: paragraphs, headings by outline level, tables by their cells; pictures are passed over."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from docyard.model.limits import Limits
from docyard.model.values import Extracted
from docyard.readers import markdown

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
# Groups that hold something else than the text; any group that begins with \* is passed over as well.
_PASSED_OVER_WORDS = """
    colortbl datastore filetbl fldinst generator latentstyles listoverridetable listtable objdata pict
    pgptbl private revtbl rsidtbl themedata xmlnstbl author operator comment doccomm company manager
    category keywords subject hlinkbase creatim revtim printim buptim pntext pntxta pntxtb bkmkstart
    bkmkend sp nonshppict userprops docvar tc xe txe rxe fchars lchars colorschememapping defchp
    defpap ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn atnid atndate template
    listtext
"""
_PASSED_OVER = frozenset(_PASSED_OVER_WORDS.split())
_SIGNS = {
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
_ESCAPED = {"~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n", "\r": "\n"}
_CHARSETS = {128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
             186: 1257, 204: 1251, 222: 874, 238: 1250, 77: 10000}  # fmt: skip
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_BODY_LEVEL = 9
_OWN_TEXTS = ("shptxt", "footnote", "annotation")
_DEEPEST_HELD = 20


@dataclass(frozen=True, slots=True)
class _Group:
    """What holds inside one pair of braces."""

    passed_over: bool = False
    hidden: bool = False  # or struck out
    destination: str = ""
    encoding: str = "cp1252"
    letters_after_unicode: int = 1


@dataclass(frozen=True, slots=True)
class _Held:
    """What waits while a text of its own is read in the middle of it: a box, a note, a comment."""

    kind: str
    depth: int  # of the braces in which that text stands
    pieces: list[str]
    cells: list[str]
    rows: list[list[str]]
    blocks: list[str]
    in_table: bool
    level: int


@dataclass(slots=True)
class _Reader:
    """The reading so far: what is finished, the paragraph and the row that are not."""

    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    default: str = "cp1252"
    fonts: dict[str, str] = field(default_factory=dict)
    font: str = ""
    styles: dict[str, int] = field(default_factory=dict)
    style: str = ""
    title: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)
    skip: int = 0
    fresh: bool = False  # a group has just begun
    level: int = _BODY_LEVEL
    in_table: bool = False
    cells: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    held: list[_Held] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)


def read(path: Path, limits: Limits) -> Extracted:
    """The text of the file, under the title in its information group."""
    blocks, title = blocks_of(path.read_bytes().decode("latin-1"))
    return markdown.extracted(blocks, limits, title=title)


def blocks_of(source: str) -> tuple[list[str], str]:
    """The blocks of an RTF text, and its title."""
    reader = _Reader()
    at = 0
    while found := _TOKEN.match(source, at):
        word, number, code, sign, brace, text = found.groups()
        at = found.end()
        if code is not None:
            _byte(reader, int(code, 16))
            continue
        _decode(reader)
        if brace is not None:
            _brace(reader, brace)
        elif sign is not None:
            _sign(reader, sign)
        elif text is not None:
            _text(reader, text)
        elif word is not None:
            _word(reader, word, number)
            at += max(0, int(number or 0)) if word == "bin" else 0
        reader.fresh = brace == "{"
    _decode(reader)
    return _finished(reader), "".join(reader.title).strip()


def _finished(reader: _Reader) -> list[str]:
    """All blocks, also where braces were never closed, and the notes after them."""
    while reader.held:
        _release(reader)
    _end_paragraph(reader)
    _end_table(reader)
    return reader.blocks + reader.notes


def _brace(reader: _Reader, brace: str) -> None:
    reader.skip = 0
    if brace == "{":
        reader.outer.append(reader.group)
    elif reader.outer:
        if reader.held and reader.held[-1].depth == len(reader.outer):
            _release(reader)
        reader.group = reader.outer.pop()


def _hold(reader: _Reader, kind: str) -> None:
    """Begin a text that stands in the middle of another, and read it although its group may be optional."""
    if len(reader.held) >= _DEEPEST_HELD or not reader.outer:
        return
    reader.held.append(
        _Held(
            kind,
            len(reader.outer),
            reader.pieces,
            reader.cells,
            reader.rows,
            reader.blocks,
            reader.in_table,
            reader.level,
        )
    )
    reader.pieces, reader.cells, reader.rows, reader.blocks = [], [], [], []
    reader.in_table, reader.level = False, _BODY_LEVEL
    reader.group = replace(reader.group, passed_over=False, destination="")


def _release(reader: _Reader) -> None:
    """End such a text: a box stands before the paragraph that it hangs on, notes stand at the end."""
    held = reader.held.pop()
    reader.group = replace(reader.group, passed_over=False, destination="")
    _end_paragraph(reader)
    _end_table(reader)
    said = reader.blocks
    reader.pieces, reader.cells, reader.rows, reader.blocks = held.pieces, held.cells, held.rows, held.blocks
    reader.in_table, reader.level = held.in_table, held.level
    if held.kind == "shptxt":
        if not reader.in_table:
            _end_table(reader)
        reader.blocks += said
    elif said:
        number = len(reader.notes) + 1
        mark, by = ("", "") if held.kind == "footnote" else ("c", f"{_by(reader)}: ")
        reader.pieces.append(f"[^{mark}{number}]")
        reader.notes.append(f"[^{mark}{number}]: {by}{' '.join(said)}")


def _by(reader: _Reader) -> str:
    author = "".join(reader.author)
    reader.author.clear()
    return markdown.signed(author, "")


def _sign(reader: _Reader, sign: str) -> None:
    if sign == "*":
        # Only a group may be optional; elsewhere the sign is a writer's mistake.
        reader.group = replace(reader.group, passed_over=reader.group.passed_over or reader.fresh)
    elif sign in ("\n", "\r"):
        _end_paragraph(reader)
    else:
        _say(reader, _ESCAPED.get(sign, ""))


def _byte(reader: _Reader, value: int) -> None:
    if reader.skip:
        reader.skip -= 1
    else:
        reader.raw.append(value)


def _decode(reader: _Reader) -> None:
    """Bytes written in hex are letters only together, in the charset of their font."""
    if reader.raw:
        text = bytes(reader.raw).decode(reader.group.encoding, "replace")
        reader.raw.clear()
        _say(reader, text)


def _text(reader: _Reader, text: str) -> None:
    skipped = min(reader.skip, len(text))
    reader.skip -= skipped
    text = text[skipped:]
    if not text.isascii():  # raw bytes above ASCII are in the file's charset
        text = text.encode("latin-1").decode(reader.group.encoding, "replace")
    _say(reader, text)


def _say(reader: _Reader, text: str) -> None:
    group = reader.group
    if group.destination in ("title", "atnauthor"):
        (reader.title if group.destination == "title" else reader.author).append(text)
    elif group.destination == "stylesheet":
        if named := _HEADING.match(text.strip()):
            reader.styles[reader.style] = int(named[1]) - 1
    elif not group.passed_over and not group.destination and not group.hidden:
        reader.pieces.append(text)


def _word(reader: _Reader, word: str, number: str | None) -> None:
    reader.skip = 0
    if word in _PASSED_OVER:
        reader.group = replace(reader.group, passed_over=True)
    elif word in ("title", "stylesheet", "fonttbl", "info", "atnauthor"):
        reader.group = replace(reader.group, destination=word)
    elif word in _OWN_TEXTS:
        _hold(reader, word)
    elif word in ("v", "deleted", "plain"):
        reader.group = replace(reader.group, hidden=word != "plain" and number != "0")
    elif word in _SIGNS:
        _say(reader, _SIGNS[word])
    elif (act := _ACTIONS.get(word)) is not None:
        act(reader, int(number) if number else 0)


def _unicode(reader: _Reader, number: int) -> None:
    value = number + 0x10000 if number < 0 else number
    _say(reader, chr(value) if 0 <= value < 0x110000 else "")
    reader.skip = reader.group.letters_after_unicode


def _charset(reader: _Reader, number: int) -> None:
    reader.default = _codec(number)
    reader.group = replace(reader.group, encoding=reader.default)


def _font(reader: _Reader, number: int) -> None:
    reader.font = str(number)
    if reader.group.destination != "fonttbl":
        reader.group = replace(reader.group, encoding=reader.fonts.get(reader.font, reader.default))


def _font_charset(reader: _Reader, number: int) -> None:
    if reader.group.destination == "fonttbl" and number in _CHARSETS:
        reader.fonts[reader.font] = _codec(_CHARSETS[number])


def _style(reader: _Reader, number: int) -> None:
    reader.style = str(number)
    if reader.group.destination != "stylesheet":
        reader.level = reader.styles.get(reader.style, _BODY_LEVEL)


def _plain_paragraph(reader: _Reader, _: int) -> None:
    reader.level, reader.in_table, reader.style = _BODY_LEVEL, False, ""


def _outline(reader: _Reader, number: int) -> None:
    if reader.group.destination != "stylesheet":
        reader.level = number
    else:
        reader.styles[reader.style] = number


def _table_text(reader: _Reader, _: int) -> None:
    reader.in_table = True


def _end_cell(reader: _Reader, _: int) -> None:
    reader.cells.append("".join(reader.pieces).strip())
    reader.pieces.clear()


def _end_row(reader: _Reader, _: int) -> None:
    if reader.cells:
        reader.rows.append(reader.cells)
        reader.cells = []


def _paragraph(reader: _Reader, _: int) -> None:
    if reader.in_table and not reader.group.destination:
        reader.pieces.append(" ")
    else:
        _end_paragraph(reader)


def _letters(reader: _Reader, number: int) -> None:
    reader.group = replace(reader.group, letters_after_unicode=max(0, min(number, 10)))


_ACTIONS: dict[str, Callable[[_Reader, int], None]] = {
    "u": _unicode,
    "uc": _letters,
    "ansicpg": _charset,
    "mac": lambda reader, _: _charset(reader, 10000),
    "f": _font,
    "fcharset": _font_charset,
    "s": _style,
    "pard": _plain_paragraph,
    "outlinelevel": _outline,
    "intbl": _table_text,
    "cell": _end_cell,
    "nestcell": _end_cell,
    "row": _end_row,
    "par": _paragraph,
    "sect": _paragraph,
    "page": _paragraph,
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), _paragraph),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), _paragraph),
}


def _end_paragraph(reader: _Reader) -> None:
    if reader.group.destination or reader.group.passed_over:
        return
    text = "".join(reader.pieces).strip()
    reader.pieces.clear()
    _end_table(reader)
    if text and reader.level < _BODY_LEVEL:
        reader.blocks.append(markdown.heading(reader.level + 1, text))
    elif text:
        reader.blocks.append(markdown.item(text[1:]) if text.startswith(("•", "·")) else text)


def _end_table(reader: _Reader) -> None:
    if reader.cells:
        _end_row(reader, 0)
    if any(map(any, reader.rows)):
        reader.blocks.append(markdown.table(reader.rows))
    reader.rows = []


def _codec(page: int) -> str:
    name = {10000: "mac_roman", 65001: "utf-8"}.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
