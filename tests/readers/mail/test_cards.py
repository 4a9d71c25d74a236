"""Calendars and contact cards as text, both from files and from invitations."""

from __future__ import annotations

from pathlib import Path

from tests.builders.file_reads import read_file, read_text

CALENDAR = """BEGIN:VCALENDAR
PRODID:-//a program//
BEGIN:VTIMEZONE
TZID:Europe/Berlin
DTSTART:19700329T020000
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY:Handing over the ke
 ys\\, at last
DTSTART;TZID=Europe/Berlin:20240305T100000
DTEND:20240305T103000Z
ORGANIZER;CN="Lee, Ann":MAILTO:ann@example.org
DESCRIPTION:Bring a pen.\\nAnd paper.
BEGIN:VALARM
DESCRIPTION:reminder of a program
END:VALARM
END:VEVENT
END:VCALENDAR
"""
CARD = """BEGIN:VCARD
VERSION:2.1
N:Lee;Ann;;;
FN:Ann Lee
item1.ADR;TYPE=work:;;Am Markt 1;Aachen;;52062;Germany
NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=BC=C3=
=9Fe
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRg
END:VCARD
"""
INVITATION = """From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: Keys
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/plain

See you.
--b
Content-Type: text/calendar; method=REQUEST

{calendar}
--b--
"""


def test_reads_an_appointment_as_lines(tmp_path: Path) -> None:
    assert read_text(tmp_path, CALENDAR.replace("\n", "\r\n").encode()).splitlines() == [
        "Summary: Handing over the keys, at last",
        "Start: 2024-03-05 10:00 Europe/Berlin",
        "End: 2024-03-05 10:30 UTC",
        "Organizer: Lee, Ann <ann@example.org>",
        "Description: Bring a pen.",
        "And paper.",
    ]


def test_reads_a_card_as_lines_without_its_photo(tmp_path: Path) -> None:
    assert read_text(tmp_path, CARD.encode()).splitlines() == [
        "Name: Ann Lee",
        "Address: Am Markt 1, Aachen, 52062, Germany",
        "Note: Grüße",
    ]


def test_shows_the_source_of_a_card_without_properties(tmp_path: Path) -> None:
    assert read_text(tmp_path, b"BEGIN:VCARD\nwhat a program broke\n") == "BEGIN:VCARD\nwhat a program broke"


def test_reads_the_appointment_of_an_invitation(tmp_path: Path) -> None:
    found = read_file(tmp_path, INVITATION.format(calendar=CALENDAR).encode())
    assert "See you.\n" in found.pages[0].text
    assert "Summary: Handing over the keys, at last\nStart: 2024-03-05 10:00" in found.pages[0].text
    assert not found.attachments
