"""Labels for sizes, times, durations, percentages, languages and file types."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

_SPACE = "\N{NO-BREAK SPACE}"  # keeps a number and its unit on one line
_LANGUAGES = {
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}

_KINDS = {
    "application/epub+zip": "EPUB book",
    "application/gzip": "gzip file",
    "application/json": "JSON",
    "application/mbox": "Mailbox",
    "application/ms-tnef": "Outlook message (TNEF)",
    "application/msword": "Word document",
    "application/octet-stream": "Unknown",
    "application/pdf": "PDF",
    "application/pkcs7-mime": "Signed or encrypted file",
    "application/rtf": "RTF document",
    "application/vnd.ms-office.encrypted": "Office file with a password",
    "application/vnd.ms-outlook": "Outlook message",
    "application/x-bzip2": "bzip2 file",
    "application/x-tar": "TAR archive",
    "application/x-xz": "xz file",
    "application/zip": "ZIP archive",
    "image/gif": "GIF image",
    "image/heic": "HEIC photo",
    "image/jp2": "JPEG 2000 image",
    "image/jpeg": "JPEG image",
    "image/png": "PNG image",
    "image/svg+xml": "SVG drawing",
    "image/tiff": "TIFF image",
    "image/webp": "WebP image",
    "image/x-portable-anymap": "Portable bitmap",
    "message/rfc822": "Email",
    "text/calendar": "Calendar",
    "text/csv": "CSV table",
    "text/html": "HTML page",
    "text/markdown": "Markdown text",
    "text/plain": "Plain text",
    "text/tab-separated-values": "TSV table",
    "text/vcard": "Contact",
    "text/xml": "XML",
}
# Parts of media types; they also match templates, slide shows and files with macros.
_FAMILIES = {
    "wordprocessingml.": "Word document",
    "vnd.ms-word.": "Word document",
    "spreadsheetml.": "Excel workbook",
    "vnd.ms-excel": "Excel workbook",
    "presentationml.": "PowerPoint presentation",
    "vnd.ms-powerpoint": "PowerPoint presentation",
    "opendocument.text": "OpenDocument text",
    "opendocument.spreadsheet": "OpenDocument spreadsheet",
    "opendocument.presentation": "OpenDocument presentation",
}


def format_size(count: int | None) -> str:
    """Return a number of bytes with its unit."""
    if count is None:
        return "–"
    if count < 1024:
        return f"{count}{_SPACE}bytes"
    amount, unit = count / 1024, "kB"
    for larger in ("MB", "GB"):
        if amount >= 1024:
            amount, unit = amount / 1024, larger
    return f"{amount:.1f}{_SPACE}{unit}" if amount < 10 else f"{amount:.0f}{_SPACE}{unit}"


def format_time(moment: datetime | None) -> Markup:
    """Return a time element in UTC; a script converts it to the local time zone."""
    if moment is None:
        return Markup("–")
    text = moment.astimezone(UTC).strftime("%d %b %Y, %H:%M UTC")
    return Markup('<time datetime="{}">{}</time>').format(moment.isoformat(), text)


def format_duration(duration: float | None) -> str:
    """Return a duration, such as 850 ms, 2.5 s or 3 min 5 s."""
    if duration is None:
        return "–"
    duration = max(0.0, duration)  # negative if the database's clock was set back
    if duration < 1:
        return f"{duration * 1000:.0f} ms"
    if duration < 60:
        return f"{duration:.1f} s"
    return f"{int(duration // 60)} min {int(duration % 60)} s"


def round_duration(duration: float | None) -> str:
    """Return a duration rounded to the largest unit that fits at least twice, such as 90 min or 3 h."""
    if duration is None:
        return "–"
    duration = max(0.0, duration)
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if duration >= 2 * size:
            return f"{duration / size:.0f}{_SPACE}{unit}"
    return f"{duration:.0f}{_SPACE}s"


def format_percent(share: float | None) -> str:
    """Return a share between 0 and 1 as a percentage."""
    return "–" if share is None else f"{share * 100:.0f}{_SPACE}%"


def language_name(code: str | None) -> str:
    """Return the English name of a language code."""
    return _LANGUAGES.get(code or "", code or "–")


def file_type_label(media_type: str | None) -> str:
    """Return the label of a media type."""
    if media_type in _KINDS:
        return _KINDS[media_type]
    family = (word for part, word in _FAMILIES.items() if part in (media_type or ""))
    return next(family, media_type or "Not known yet")
