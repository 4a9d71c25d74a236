"""E-mail messages: a short head, the best body, and what is attached, found again by its place."""

from __future__ import annotations

import email
import email.header
import email.message
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.values import Attachment, Extracted
from docyard.readers import markdown, text
from docyard.readers.mail import cards, cms
from docyard.readers.mail.format_flowed import unwrapped
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_as, decode_html

Message = email.message.Message
_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_CONTENT_ID = re.compile(r"cid:([^\"'\s>)]+)", re.IGNORECASE)
_READABLE = ("text/plain", "text/html", "text/enriched", "message/delivery-status", "text/rfc822-headers")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCRYPTED = "The message is encrypted: what it says cannot be read here."
_MOST_SEALED = 10  # signatures around one another
_LONGEST_HEADER, _LONGEST_RAW = 2000, 20_000


@dataclass(frozen=True, slots=True)
class Letter:
    """What a message says, and what is attached to it."""

    subject: str
    blocks: tuple[str, ...]
    attachments: tuple[Attachment, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A leaf of a message; its place counts the leaves in the order in which they are written."""

    place: int
    message: Message
    in_alternative: bool = False
    in_related: bool = False  # beside a page that may refer to it


def read(path: Path, limits: Limits) -> Extracted:
    """One message as Markdown, its subject as the title."""
    try:
        found = letter(parsed(path.read_bytes()))
    except RecursionError:
        raw = text.read(path, limits.text_page_chars, limits.pages)
        return Extracted(
            raw.pages, notes=("The message is nested too deeply and is shown as it is written.",)
        )
    return markdown.extracted(
        found.blocks, limits, title=found.subject, notes=found.notes, attachments=found.attachments
    )


def member(path: Path, place: str, _: Limits) -> bytes:
    """The bytes of one attachment."""
    return attached(parsed(path.read_bytes()), place)


def parsed(data: bytes) -> Message:
    """The message of these bytes; what is not well formed is read as far as it goes."""
    return email.message_from_bytes(data.lstrip(b"\r\n"))


def attached(message: Message, place: str) -> bytes:
    """The bytes of the leaf at that place."""
    for part in parts(message):
        if str(part.place) == place:
            return _bytes(part.message)
    raise Reject("not_found", "The message has no attachment at this place.")


def letter(message: Message, prefix: str = "") -> Letter:
    """The message read; `prefix` goes before the places of its attachments."""
    leaves = list(parts(message))
    bodies = _bodies(leaves)
    shown = frozenset(_CONTENT_ID.findall(" ".join(_raw_html(part.message) for part in bodies)))
    files = (part for part in leaves if not _is_body(part.message) and not _is_shown(part, shown))
    sized = ((part, len(_bytes(part.message))) for part in files)
    attachments = tuple(
        Attachment(f"{prefix}{part.place}", _name(part), size) for part, size in sized if size
    )
    blocks = [head(message), *(block for part in bodies for block in _blocks(part.message))]
    blocks += _appointments(leaves)
    notes = (_ENCRYPTED,) if any(map(_is_encrypted, (message, *(part.message for part in leaves)))) else ()
    return Letter(header(message, "Subject"), (*blocks, attachment_list(attachments)), attachments, notes)


def _appointments(leaves: list[Part]) -> list[str]:
    """What an invitation says: the text beside it may leave out when and where."""
    found = (part.message for part in leaves if part.message.get_content_type() == "text/calendar")
    texts = (_plain(_bytes(each), _charset(each)) for each in found if not _file_name(each))
    return list(dict.fromkeys(block for each in texts for block in cards.blocks(each)))


def _is_encrypted(message: Message) -> bool:
    kind = message.get_content_type()
    return kind == "multipart/encrypted" or (kind in _SEALED and cms.is_sealed(_bytes(message)[:64]))


def head(message: Message) -> str:
    """Who wrote to whom, when and about what."""
    lines = ((name, header(message, name)) for name in _SHOWN)
    return "\n".join(f"{name}: {value}" for name, value in lines if value)


def attachment_list(attachments: tuple[Attachment, ...]) -> str:
    """The names of what is attached, so that a search finds them too."""
    return "\n".join(["Attachments:", *(f"- {each.name}" for each in attachments)]) if attachments else ""


def header(message: Message, name: str) -> str:
    """A header as people read it, on one line."""
    return decoded(message.get(name))[:_LONGEST_HEADER]


def decoded(value: object) -> str:
    """A header's value with its encoded words in letters; what is broken stays as it is written."""
    if value is None:
        return ""
    if len(str(value)) > _LONGEST_RAW:  # decoding takes the square of its length
        value = str(value)[:_LONGEST_RAW]
    try:
        pieces = email.header.decode_header(value)  # type: ignore[arg-type]
    except (ValueError, LookupError, AttributeError, email.errors.HeaderParseError):
        return markdown.one_line(text.clean(str(value)))
    return markdown.one_line("".join(_piece(data, charset) for data, charset in pieces))


def parts(message: Message) -> Iterator[Part]:
    """The leaves of a message; a message inside it is one."""
    waiting = [(message, False, False)]
    place = sealed = 0
    while waiting:
        each, alternative, related = waiting.pop()
        if (
            each.get_content_type() in _SEALED
            and sealed < _MOST_SEALED
            and (said := cms.content(_bytes(each)))
        ):
            sealed += 1
            waiting.append((parsed(said), alternative, related))
            continue
        inner = each.get_payload()
        if (
            each.is_multipart()
            and isinstance(inner, list)
            and not each.get_content_type().startswith("message/")
        ):
            alternative = alternative or each.get_content_type() == "multipart/alternative"
            related = related or each.get_content_type() == "multipart/related"
            waiting.extend((one, alternative, related) for one in reversed(inner) if isinstance(one, Message))
        else:
            yield Part(place, each, alternative, related)
            place += 1


def _bodies(leaves: list[Part]) -> list[Part]:
    """The leaves that are the text; of alternatives the one that says most, formatted before plain."""
    readable = [part for part in leaves if _is_body(part.message)]
    either = [part for part in readable if part.in_alternative]
    plain = [part for part in either if part.message.get_content_type() != "text/html"]
    formatted = [part for part in either if part.message.get_content_type() == "text/html"]
    worse = plain if _words(formatted) * 5 >= _words(plain) * 4 else formatted
    left_out = {part.place for part in worse} if plain and formatted else set()
    return [part for part in readable if part.place not in left_out]


def _words(bodies: list[Part]) -> int:
    return sum(len(block.split()) for part in bodies for block in _blocks(part.message))


def _is_body(message: Message) -> bool:
    kind = message.get_content_type()
    if kind not in _READABLE and not kind.startswith("multipart/"):  # one without parts is plain text
        return False
    return message.get_content_disposition() != "attachment" and not _file_name(message)


def _is_shown(part: Part, shown: frozenset[str]) -> bool:
    """Whether this is no attachment but shown: a picture of the body, a signature, an appointment."""
    message = part.message
    kind = message.get_content_type()
    if kind in _SIGNATURES or (kind == "text/calendar" and not _file_name(message)):
        return True
    if part.in_related and message.get("Content-Location") and not message.get("Content-Disposition"):
        return True  # a piece of a saved web page
    name = str(message.get("Content-ID") or "").strip("<> ")
    return name in shown and message.get_content_maintype() == "image"


def _blocks(message: Message) -> list[str]:
    data = _bytes(message)
    if message.get_content_type() == "text/html":
        return html_blocks.blocks(decode_html(data, _charset(message)))[0]
    plain = _plain(data, _charset(message))
    if _parameter(message, "format") == "flowed":
        plain = unwrapped(plain, drop_space=_parameter(message, "delsp") == "yes")
    return [plain]


def _parameter(message: Message, name: str) -> str:
    """A parameter of the content type in small letters, empty where there is none that can be read."""
    try:
        found = message.get_param(name)
    except (LookupError, ValueError, TypeError):
        return ""
    return found.lower() if isinstance(found, str) else ""


def _plain(data: bytes, charset: str | None) -> str:
    named = decode_as(data, charset) if charset else None
    return (
        text.clean(named.replace("\r\n", "\n").replace("\r", "\n"))
        if named is not None
        else text.decode(data)
    )


def _raw_html(message: Message) -> str:
    return _bytes(message).decode("latin-1") if message.get_content_type() == "text/html" else ""


def _charset(message: Message) -> str | None:
    try:
        return message.get_content_charset()
    except (LookupError, ValueError):
        return None


def _bytes(message: Message) -> bytes:
    """The content of a leaf; a message inside is written out as it was."""
    inner = message.get_payload()
    if message.is_multipart() and isinstance(inner, list):
        return b"".join(each.as_bytes() for each in inner if isinstance(each, Message))
    try:
        data = message.get_payload(decode=True)
    except (LookupError, ValueError):
        data = None
    return data if isinstance(data, bytes) else str(inner).encode("utf-8", "replace")


def _name(part: Part) -> str:
    named = _file_name(part.message)
    inner = part.message.get_payload()
    if not named and isinstance(inner, list) and inner and isinstance(inner[0], Message):
        named = (header(inner[0], "Subject") or "message") + ".eml"
    return named or f"part {part.place + 1}{_extension(part.message.get_content_type())}"


def _extension(media_type: str) -> str:
    import mimetypes

    return mimetypes.guess_extension(media_type) or ""


def _file_name(message: Message) -> str:
    try:
        return decoded(message.get_filename())
    except (LookupError, ValueError, TypeError):
        return ""


def _piece(data: bytes | str, charset: str | None) -> str:
    if isinstance(data, str):
        return text.clean(data)
    named = decode_as(data, charset) if charset and charset != "unknown-8bit" else None
    return text.clean(named) if named is not None else text.decode(data)
