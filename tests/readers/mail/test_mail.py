"""E-mail messages and mailboxes: headers, the best body, and attachments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.readers import formats
from docyard.readers.mail import message as mail
from tests.builders.emails import make_email, make_nested_email
from tests.builders.file_reads import read_file, read_text
from tests.builders.office.binary_office import fixed_properties, msg

HEAD = "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Mon, 02 Mar 2026 10:00:00 +0000\nSubject: "
RAW = b"From: a@example.org\nTo: b@example.org\nDate: today\n"


def test_reads_headers_body_and_attachments(tmp_path: Path) -> None:
    made = make_email(
        "Dear Bob,\n\nhello.\n", attachments=[("a.bin", b"\x00\x01"), ("../b.txt", b"two")], subject="Grüße"
    )
    found = read_file(tmp_path, made.as_bytes())
    assert found.metadata_title == "Grüße"
    assert found.pages[0].text == f"{HEAD}Grüße\n\nDear Bob,\n\nhello.\n\nAttachments:\n- a.bin\n- ../b.txt"
    assert [(each.name, each.size) for each in found.attachments] == [("a.bin", 2), ("../b.txt", 3)]
    members = [each.member for each in found.attachments]
    extracted = [formats.read_member(tmp_path / "blob", "message/rfc822", each, Limits()) for each in members]
    assert extracted == [b"\x00\x01", b"two"]


def test_prefers_the_html_body_unless_it_has_less_text(tmp_path: Path) -> None:
    assert read_text(tmp_path, make_email("a b c", "<h1>a</h1><p>b c</p>").as_bytes()).endswith("# a\n\nb c")
    assert read_text(tmp_path, make_email("a b c d e f", "<p>see below</p>").as_bytes()).endswith("a b c d e f")
    assert read_text(tmp_path, make_email(None, "<p>only <b>this</b></p>").as_bytes()).endswith("only this")


def test_inline_images_are_not_attachments(tmp_path: Path) -> None:
    made = make_email(None, '<img src="cid:logo"><p>x</p>')
    made.add_related(b"GIF89a", "image", "gif", cid="<logo>")
    made.add_attachment(b"GIF89a", maintype="image", subtype="gif", filename="real.gif", cid="<other>")
    assert [each.name for each in read_file(tmp_path, made.as_bytes()).attachments] == ["real.gif"]


def test_resources_of_a_saved_web_page_are_not_attachments(tmp_path: Path) -> None:
    page = "--b\nContent-Type: text/html\nContent-Location: http://example.org/\n\n<p>Hello</p>\n"
    image = "--b\nContent-Type: image/gif\nContent-Location: http://example.org/a.gif\n\nGIF89a\n"
    headers = "Subject: Saved\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
    found = read_file(tmp_path, RAW + f"{headers}{page}{image}--b--\n".encode())
    assert (found.attachments, found.pages[0].text.endswith("Hello")) == ((), True)


def test_an_attached_message_is_an_attachment(tmp_path: Path) -> None:
    made = make_email("outer")
    made.add_attachment(make_email("inner", subject="Old news"))
    found = read_file(tmp_path, made.as_bytes())
    assert [each.name for each in found.attachments] == ["Old news.eml"]
    inner = formats.read_member(tmp_path / "blob", "message/rfc822", found.attachments[0].member, Limits())
    assert read_text(tmp_path, inner).endswith("Subject: Old news\n\ninner")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"Subject: =?utf-8?B?R3LDvMOfZQ==?= =?iso-8859-1?Q?_=FC?=\n\nx", "Grüße ü"),
        (b"Subject: =?no-such?Q?a=FC?=\n\nx", "aü"),
        (b"Subject: =?utf-8?B?!!!?=\n\nx", None),
        ("Subject: Größe\n\nx".encode(), "Größe"),
        ("Subject: Größe\n\nx".encode("cp1252"), "Größe"),
        (b"Subject: two\n lines\n\nx", "two lines"),
    ],
)
def test_decodes_subjects(tmp_path: Path, raw: bytes, expected: str | None) -> None:
    title = read_file(tmp_path, RAW + raw).metadata_title
    assert title == expected or expected is None


@pytest.mark.parametrize(
    ("charset", "encoding"), [("koi8-r", "koi8-r"), ("utf-8", "utf-8"), ("us-ascii", "cp1251"), ("nonsense", "utf-8")]
)
def test_decodes_bodies_in_many_charsets(tmp_path: Path, charset: str, encoding: str) -> None:
    words = "Все люди рождаются свободными и равными в своем достоинстве"
    raw = RAW + f"Subject: x\nContent-Type: text/plain; charset={charset}\n\n".encode() + words.encode(encoding)
    expected = words if encoding != "cp1251" else words.encode("cp1251").decode("cp1252")
    assert read_text(tmp_path, raw).endswith(expected)


def test_reads_extreme_messages_as_far_as_possible(tmp_path: Path) -> None:
    deep = read_file(tmp_path, make_nested_email(3000))
    assert deep.notes == ("The message is nested too deeply to be parsed; its source is shown instead.",)
    many = RAW + b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 3000
    assert read_file(tmp_path, many).pages[0].text.count("x") >= 3000
    long = RAW + b"Subject: " + b"x" * 1_000_000 + b"\n\nbody"
    assert len(read_file(tmp_path, long).metadata_title or "") == 500
    words = RAW + b"Subject: " + b"=?utf-8?q?a?= " * 200_000 + b"\n\nbody"
    assert (read_file(tmp_path, words).metadata_title or "").startswith("aaaa")


def test_reads_each_message_of_a_mailbox_as_a_page(tmp_path: Path) -> None:
    separator = b"From ann@example.org Mon Mar  2 10:00:00 2026\n"
    first = make_email("one\n\nFrom here on\n", attachments=[("a.txt", b"aaa")], subject="First")
    second = make_email("two", attachments=[("b.txt", b"bbb")], subject="Second")
    raw = [each.as_bytes().replace(b"\nFrom here", b"\n>From here") for each in (first, second)]
    found = read_file(tmp_path, b"\n".join(separator + each for each in raw))
    assert ["one" in page.text for page in found.pages] == [True, False]
    assert "\nFrom here on" in found.pages[0].text
    members = [each.member for each in found.attachments]
    extracted = [formats.read_member(tmp_path / "blob", "application/mbox", each, Limits()) for each in members]
    assert extracted == [b"aaa", b"bbb"]
    assert read_file(tmp_path, separator + raw[0]).metadata_title == "First"


def test_reads_outlook_messages_with_attached_messages(tmp_path: Path) -> None:
    inner = "__attach_version1.0_#00000001/__substg1.0_3701000D/"
    made = msg(
        {0x0037: "Plans", 0x1000: "Read this.\r\nSoon.", 0x0C1A: "Ann", 0x0E04: "Bob; Cid"},
        [("long name.txt", b"hello")],
        {
            f"{inner}__properties_version1.0": fixed_properties(24),
            f"{inner}__substg1.0_0037001F": "Older".encode("utf-16-le"),
            f"{inner}__substg1.0_1000001F": "Before".encode("utf-16-le"),
        },
    )
    found = read_file(tmp_path, made)
    assert found.metadata_title == "Plans"
    headers = "From: Ann\nTo: Bob; Cid\nDate: 2022-06-18 04:26 UTC\nSubject: Plans"
    first, second = (page.text for page in found.pages)
    assert first == f"{headers}\n\nRead this.\nSoon.\n\nAttachments:\n- long name.txt"
    assert second == "Subject: Older\n\nBefore"
    extracted = formats.read_member(
        tmp_path / "blob", "application/vnd.ms-outlook", found.attachments[0].member, Limits()
    )
    assert extracted == b"hello"


def test_decodes_outlook_bodies_in_html_and_8_bit_charsets(tmp_path: Path) -> None:
    page = fixed_properties(32, page=(0x3FDE, 0x0003, 1251))
    html = "<p>Привет <b>мир</b></p>".encode("cp1251")
    assert (
        read_text(tmp_path, msg({}, others={"__properties_version1.0": page, "__substg1.0_10130102": html}))
        == "Привет мир"
    )
    plain = "Привет мир".encode("cp1251")
    assert (
        read_text(tmp_path, msg({}, others={"__properties_version1.0": page, "__substg1.0_1000001E": plain}))
        == "Привет мир"
    )


def test_reports_a_missing_attachment(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    path.write_bytes(make_email().as_bytes())
    for kind in ("message/rfc822", "application/mbox", "text/plain"):
        with pytest.raises(Reject) as caught:
            formats.read_member(path, kind, "77", Limits())
        assert caught.value.category == "not_found"


@given(st.binary(max_size=400))
def test_any_bytes_can_be_parsed_as_a_message(raw: bytes) -> None:
    mail.read_content(mail.parse_message(b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n" + raw))


def test_joins_flowed_lines_into_paragraphs(tmp_path: Path) -> None:
    body = b"This was one \nparagraph.\n> And quoted \n> in one.\n-- \nAnn\n"
    content_type = b"Content-Type: text/plain; charset=utf-8; format=flowed\n\n"
    headers = b"From: a@example.org\nTo: b@example.org\nSubject: Flowed\n"
    assert read_text(tmp_path, headers + content_type + body).endswith(
        "This was one paragraph.\n> And quoted in one.\n-- \nAnn"
    )


def test_rejects_an_attachment_over_the_upload_limit(tmp_path: Path) -> None:
    made = make_email(attachments=[("a.bin", bytes(2000))])
    (file,) = read_file(tmp_path, bytes(made)).attachments
    with pytest.raises(Reject, match="upload size limit") as caught:
        formats.read_member(tmp_path / "blob", "message/rfc822", file.member, replace(Limits(), upload_bytes=1000))
    assert caught.value.category == "validation"
