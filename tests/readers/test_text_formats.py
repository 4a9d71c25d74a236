"""Delimited tables, structured data and text in any charset."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docyard.readers.charset import detect_encoding
from tests.builders.file_reads import read_file, read_text

TEXTS = {
    "Sehr geehrte Damen und Herren, hiermit kündige ich fristgemäß. Grüße, Jürgen": "cp1252 mac_roman cp850",
    "Le conseil a été saisi d'une requête; ça va être très agréable où que l'on soit": "cp1252 mac_roman",
    "Alle mennesker er født frie og lige i værdighed. Århus søger på ø.": "cp1252",
    "It’s “quoted” — a dash… and café, naïve résumé": "cp1252",
    "Zażółć gęślą jaźń. Wszystkie dzieci rodzą się wolne i równe": "cp1250 iso8859_2",
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Všichni lidé se rodí svobodní": "cp1250 iso8859_2",
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar": "cp1254",
    "Все люди рождаются свободными и равными в своем достоинстве и правах": "cp1251 koi8_r cp866 iso8859_5",
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια": "cp1253 iso8859_7",
    "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם": "cp1255",
    "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق": "cp1256",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน": "cp874",
    "すべての人間は、生まれながらにして自由であり、平等である。": "cp932 euc_jp",
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。": "gb18030",
    "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心。": "big5",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다": "cp949",
}
CASES = [(words, encoding) for words, encodings in TEXTS.items() for encoding in encodings.split()]


@pytest.mark.parametrize(("words", "encoding"), CASES)
def test_detects_charset_of_one_line(words: str, encoding: str, tmp_path: Path) -> None:
    data = words.encode(encoding)
    assert data.decode(detect_encoding(data)) == words
    assert read_text(tmp_path, b"Some English before it.\n" * 50 + data).endswith(words)


def test_falls_back_to_cp1252() -> None:
    assert detect_encoding(b"price: 5 \x80") == "cp1252"


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ("a,b\n1,2\n", "x.csv", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a;b\n1,5;2\n3,5;4\n", "x.csv", "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n| 3,5 | 4 |"),
        ("a\tb\tc\n1\t\t2\n", "x.tsv", "| a | b | c |\n| --- | --- | --- |\n| 1 |  | 2 |"),
        ('a,b\n"1,\n2",3\n', "x.csv", "| a | b |\n| --- | --- |\n| 1, 2 | 3 |"),
        ("ä;b\nö;2\nü;4\n", "x.csv", "| ä | b |\n| --- | --- |\n| ö | 2 |\n| ü | 4 |"),
        ("just some words\nand more\n", "x.csv", "just some words\nand more\n"),
        ("sep=;\na;b\n1;2\n", "x.csv", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("Sums\na,b\n1,2\n", "x.csv", "| Sums |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_reads_delimited_text_as_tables(content: str, name: str, expected: str, encoding: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, content.encode(encoding), name) == expected


def test_repeats_header_of_long_table_on_every_page(tmp_path: Path) -> None:
    rows = "".join(f"{number},{number * number},{'x' * 30}\n" for number in range(2000))
    pages = read_file(tmp_path, f"n,square,x\n{rows}".encode(), "x.csv").pages
    assert len(pages) > 3
    assert all(page.text.startswith("| n | square | x |\n| --- | --- | --- |\n") for page in pages)
    assert sum(page.text.count("xxx |") for page in pages) == 2000


def test_keeps_text_after_unclosed_quote(tmp_path: Path) -> None:
    content = 'a,b\n1,"' + "x y z\n" * 50_000
    assert sum(len(page.text) for page in read_file(tmp_path, content.encode(), "x.csv").pages) >= len(content) - 10


def test_splits_data_written_on_one_line(tmp_path: Path) -> None:
    data = {"name": "Grüße", "items": list(range(1000))}
    pages = read_file(tmp_path, json.dumps(data).encode()).pages
    assert json.loads("".join(page.text for page in pages)) == data
    assert "Grüße" in pages[0].text
    xml = b"<?xml version='1.0'?><a>" + b"<b>c</b>" * 500 + b"</a>"
    assert read_text(tmp_path, xml).count("\n") >= 500
    assert read_text(tmp_path, b"<?xml version='1.0'?>\n<a>\n</a>") == "<?xml version='1.0'?>\n<a>\n</a>"


def test_decodes_json_escapes(tmp_path: Path) -> None:
    data = {"name": "Müller", "face": "😀", "path": "C:\\u00e9"}
    assert read_text(tmp_path, json.dumps(data, indent=1).encode()) == json.dumps(data, indent=1, ensure_ascii=False)
    assert read_text(tmp_path, b'{"a": "M\\u00fcller",}', "broken.json") == '{"a": "M\\u00fcller",}'


def test_removes_soft_hyphens(tmp_path: Path) -> None:
    assert read_text(tmp_path, "Dampf\xadschiff\xad\nfahrt".encode()) == "Dampfschiff-\nfahrt"
    assert read_text(tmp_path, b"<html><p>Dampf&shy;schiff") == "Dampfschiff"
