"""E-mail messages: the main headers, the best body, and the attachments, identified by part index."""

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
from docyard.model.stage_values import Attachment, ExtractedText
from docyard.readers import markdown, text
from docyard.readers.mail import cards, cms
from docyard.readers.mail.format_flowed import unwrap_lines
from docyard.readers.markup import html_blocks
from docyard.readers.markup.html_page import decode_charset, decode_html

Message = email.message.Message
_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_CONTENT_ID = re.compile(r"cid:([^\"'\s>)]+)", re.IGNORECASE)
_BODY_TYPES = ("text/plain", "text/html", "text/enriched", "message/delivery-status", "text/rfc822-headers")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_CMS_TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCRYPTED = "The message has encrypted content, which was not read. Decrypt the message and upload it again."
_MAX_SIGNED = 10  # signed parts that are opened in one message
_MAX_HEADER, _MAX_RAW_HEADER = 2000, 20_000


@dataclass(frozen=True, slots=True)
class MessageContent:
    """The subject, text and attachments of a message."""

    subject: str
    blocks: tuple[str, ...]
    attachments: tuple[Attachment, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A leaf part of a message; `index` is its position among all leaf parts."""

    index: int
    message: Message
    in_alternative: bool = False
    in_related: bool = False  # in multipart/related, where an HTML page may refer to it


def read(path: Path, limits: Limits) -> ExtractedText:
    """Return one message as Markdown, with its subject as the title."""
    try:
        content = read_content(parse_message(path.read_bytes()))
    except RecursionError:
        raw = text.read(path, limits.text_page_chars, limits.pages)
        return ExtractedText(
            raw.pages, notes=("The message is nested too deeply to be parsed; its source is shown instead.",)
        )
    return markdown.build_extracted(
        content.blocks, limits, title=content.subject, notes=content.notes, attachments=content.attachments
    )


def read_member(path: Path, member_id: str, _: Limits) -> bytes:
    """Return the bytes of one attachment."""
    return read_attachment(parse_message(path.read_bytes()), member_id)


def parse_message(data: bytes) -> Message:
    """Parse a message; malformed parts are read as far as possible."""
    return email.message_from_bytes(data.lstrip(b"\r\n"))


def read_attachment(message: Message, index: str) -> bytes:
    """Return the bytes of the leaf part with this index."""
    for part in find_leaf_parts(message):
        if str(part.index) == index:
            return _read_payload(part.message)
    raise Reject("not_found", "The message has no such attachment.")


def read_content(message: Message, prefix: str = "") -> MessageContent:
    """Return the text and attachments of a message; `prefix` is prepended to the ids of its attachments."""
    leaves = list(find_leaf_parts(message))
    bodies = _select_bodies(leaves)
    content_ids = frozenset(_CONTENT_ID.findall(" ".join(_raw_html(part.message) for part in bodies)))
    files = (part for part in leaves if not _is_body(part.message) and not _is_inline(part, content_ids))
    sizes = ((part, len(_read_payload(part.message))) for part in files)
    attachments = tuple(
        Attachment(f"{prefix}{part.index}", _attachment_name(part), size) for part, size in sizes if size
    )
    blocks = [format_headers(message), *(block for part in bodies for block in _blocks(part.message))]
    blocks += _appointments(leaves)
    notes = (_ENCRYPTED,) if any(map(_is_encrypted, (message, *(part.message for part in leaves)))) else ()
    return MessageContent(
        read_header(message, "Subject"), (*blocks, format_attachments(attachments)), attachments, notes
    )


def _appointments(leaves: list[Part]) -> list[str]:
    """Return the appointments of invitations as text; the message text may omit the date and place."""
    found = (part.message for part in leaves if part.message.get_content_type() == "text/calendar")
    texts = (_decode_text(_read_payload(each), _charset(each)) for each in found if not _file_name(each))
    return list(dict.fromkeys(block for each in texts for block in cards.blocks(each)))


def _is_encrypted(message: Message) -> bool:
    kind = message.get_content_type()
    return kind == "multipart/encrypted" or (kind in _CMS_TYPES and cms.is_encrypted(_read_payload(message)[:64]))


def format_headers(message: Message) -> str:
    """Return the main headers as lines: sender, recipients, date and subject."""
    lines = ((name, read_header(message, name)) for name in _SHOWN_HEADERS)
    return "\n".join(f"{name}: {value}" for name, value in lines if value)


def format_attachments(attachments: tuple[Attachment, ...]) -> str:
    """Return the names of the attachments as text, so that a search finds them too."""
    return "\n".join(["Attachments:", *(f"- {each.name}" for each in attachments)]) if attachments else ""


def read_header(message: Message, name: str) -> str:
    """Return a decoded header on one line, truncated to a limit."""
    return decode_header(message.get(name))[:_MAX_HEADER]


def decode_header(value: object) -> str:
    """Decode the encoded words of a header value; a malformed value stays encoded."""
    if value is None:
        return ""
    if len(str(value)) > _MAX_RAW_HEADER:  # decoding takes quadratic time
        value = str(value)[:_MAX_RAW_HEADER]
    try:
        chunks = email.header.decode_header(value)  # type: ignore[arg-type]
    except (ValueError, LookupError, AttributeError, email.errors.HeaderParseError):
        return markdown.collapse_whitespace(text.remove_invalid_characters(str(value)))
    return markdown.collapse_whitespace("".join(_decode_word(data, charset) for data, charset in chunks))


def find_leaf_parts(message: Message) -> Iterator[Part]:
    """Yield the leaf parts of a message, also those in signed content; an attached message is one leaf."""
    stack = [(message, False, False)]
    index = signed_count = 0
    while stack:
        each, alternative, related = stack.pop()
        if (
            each.get_content_type() in _CMS_TYPES
            and signed_count < _MAX_SIGNED
            and (signed := cms.extract_content(_read_payload(each)))
        ):
            signed_count += 1
            stack.append((parse_message(signed), alternative, related))
            continue
        inner = each.get_payload()
        if each.is_multipart() and isinstance(inner, list) and not each.get_content_type().startswith("message/"):
            alternative = alternative or each.get_content_type() == "multipart/alternative"
            related = related or each.get_content_type() == "multipart/related"
            stack.extend((child, alternative, related) for child in reversed(inner) if isinstance(child, Message))
        else:
            yield Part(index, each, alternative, related)
            index += 1


def _select_bodies(leaves: list[Part]) -> list[Part]:
    """Return the body parts; of alternatives, only the HTML parts or only the others.

    HTML is preferred unless it has fewer than 80 % as many words as the others.
    """
    readable = [part for part in leaves if _is_body(part.message)]
    alternatives = [part for part in readable if part.in_alternative]
    plain = [part for part in alternatives if part.message.get_content_type() != "text/html"]
    html = [part for part in alternatives if part.message.get_content_type() == "text/html"]
    rejected = plain if _count_words(html) * 5 >= _count_words(plain) * 4 else html
    excluded = {part.index for part in rejected} if plain and html else set()
    return [part for part in readable if part.index not in excluded]


def _count_words(bodies: list[Part]) -> int:
    return sum(len(block.split()) for part in bodies for block in _blocks(part.message))


def _is_body(message: Message) -> bool:
    kind = message.get_content_type()
    # A leaf part with a multipart type has no parts of its own and is read as plain text.
    if kind not in _BODY_TYPES and not kind.startswith("multipart/"):
        return False
    return message.get_content_disposition() != "attachment" and not _file_name(message)


def _is_inline(part: Part, content_ids: frozenset[str]) -> bool:
    """Return whether a part is not an attachment: a resource of the body, a signature or an appointment."""
    message = part.message
    kind = message.get_content_type()
    if kind in _SIGNATURES or (kind == "text/calendar" and not _file_name(message)):
        return True
    if part.in_related and message.get("Content-Location") and not message.get("Content-Disposition"):
        return True  # a resource of a saved web page
    content_id = str(message.get("Content-ID") or "").strip("<> ")
    return content_id in content_ids and message.get_content_maintype() == "image"


def _blocks(message: Message) -> list[str]:
    data = _read_payload(message)
    if message.get_content_type() == "text/html":
        return html_blocks.parse_html(decode_html(data, _charset(message)))[0]
    plain = _decode_text(data, _charset(message))
    if _content_parameter(message, "format") == "flowed":
        plain = unwrap_lines(plain, drop_space=_content_parameter(message, "delsp") == "yes")
    return [plain]


def _content_parameter(message: Message, name: str) -> str:
    """Return a parameter of the content type in lower case; an empty string if missing or malformed."""
    try:
        value = message.get_param(name)
    except (LookupError, ValueError, TypeError):
        return ""
    return value.lower() if isinstance(value, str) else ""


def _decode_text(data: bytes, charset: str | None) -> str:
    decoded_text = decode_charset(data, charset) if charset else None
    return (
        text.remove_invalid_characters(decoded_text.replace("\r\n", "\n").replace("\r", "\n"))
        if decoded_text is not None
        else text.decode(data)
    )


def _raw_html(message: Message) -> str:
    return _read_payload(message).decode("latin-1") if message.get_content_type() == "text/html" else ""


def _charset(message: Message) -> str | None:
    try:
        return message.get_content_charset()
    except (LookupError, ValueError):
        return None


def _read_payload(message: Message) -> bytes:
    """Return the decoded content of a leaf part; an attached message is serialised."""
    inner = message.get_payload()
    if message.is_multipart() and isinstance(inner, list):
        return b"".join(each.as_bytes() for each in inner if isinstance(each, Message))
    try:
        data = message.get_payload(decode=True)
    except (LookupError, ValueError):
        data = None
    return data if isinstance(data, bytes) else str(inner).encode("utf-8", "replace")


def _attachment_name(part: Part) -> str:
    name = _file_name(part.message)
    inner = part.message.get_payload()
    if not name and isinstance(inner, list) and inner and isinstance(inner[0], Message):
        name = (read_header(inner[0], "Subject") or "message") + ".eml"
    return name or f"part {part.index + 1}{_extension(part.message.get_content_type())}"


def _extension(media_type: str) -> str:
    import mimetypes

    return mimetypes.guess_extension(media_type) or ""


def _file_name(message: Message) -> str:
    try:
        return decode_header(message.get_filename())
    except (LookupError, ValueError, TypeError):
        return ""


def _decode_word(data: bytes | str, charset: str | None) -> str:
    if isinstance(data, str):
        return text.remove_invalid_characters(data)
    decoded_text = decode_charset(data, charset) if charset and charset != "unknown-8bit" else None
    return text.remove_invalid_characters(decoded_text) if decoded_text is not None else text.decode(data)
