"""Streaming parser for multipart uploads; file data is passed to intake as it arrives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from docyard import log
from docyard.errors import BadInput, DocyardError, StorageFull, StoreUnavailable, TooLarge, UploadInterrupted
from docyard.intake import Arrival, IncomingFile
from docyard.model.names import clean_name
from docyard.store.users import Identity
from docyard.web.context import Web
from docyard.web.errors import http_status, user_message
from docyard.web.security import check_csrf_token

_MAX_FIELD = 4096  # bytes
_MAX_PARTS = 1000
_MAX_TAGS, _MAX_TAG_LENGTH = 20, 60


@dataclass(frozen=True, slots=True)
class UploadResult:
    """The result of uploading one file."""

    name: str
    status: Literal["received", "duplicate", "refused"]
    document_id: UUID | None = None
    existing_name: str | None = None
    reason: str | None = None
    http_status: int | None = None  # of the refusal


@dataclass(slots=True)
class _Part:
    """The current part of the body, as received so far."""

    header_name: bytes = b""
    header_value: bytes = b""
    disposition: bytes = b""
    field: str | None = None
    data: bytes = b""
    file_name: str = ""
    incoming: IncomingFile | None = None


class UploadReceiver:
    """A receiver for the files of one request; each file is stored when its last byte has arrived."""

    def __init__(self, web: Web, identity: Identity, source: str, fields: Mapping[str, str]) -> None:
        self.outcomes: list[UploadResult] = []
        self._web, self._identity, self._source = web, identity, source
        self._fields = dict(fields)
        self._part = _Part()
        self._parts = 0
        self._ended = False

    def parser(self, boundary: bytes) -> MultipartParser:
        """Return a parser that passes the parts of the body to this receiver."""
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_part_data": self._take_data,
                "on_part_end": self._end_part,
                "on_header_field": self._take_header_name,
                "on_header_value": self._take_header_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._open_part,
                "on_end": self._end,
            },
        )

    def finish(self) -> None:
        """Raise if the body is incomplete or the CSRF token is missing or wrong."""
        if not self._ended:
            raise UploadInterrupted
        self._check_token()

    def abandon(self) -> None:
        """Discard the current file if it has not arrived completely."""
        if self._part.incoming:
            self._part.incoming.abandon()
            self._part.incoming = None

    def _begin_part(self) -> None:
        self._part = _Part()

    def _take_header_name(self, data: bytes, start: int, end: int) -> None:
        self._part.header_name += data[start:end]

    def _take_header_value(self, data: bytes, start: int, end: int) -> None:
        self._part.header_value += data[start:end]

    def _end_header(self) -> None:
        part = self._part
        if part.header_name.lower() == b"content-disposition":
            part.disposition = part.header_value
        part.header_name, part.header_value = b"", b""

    def _open_part(self) -> None:
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise BadInput(f"An upload can have at most {_MAX_PARTS} files and fields. Upload the rest separately.")
        _, options = parse_options_header(self._part.disposition)
        if b"filename" not in options:
            self._part.field = options.get(b"name", b"").decode(errors="replace")
        # If no file is selected, browsers send one part with an empty file name.
        elif options[b"filename"]:
            self._open_file(_decode_name(options[b"filename"]))

    def _open_file(self, name: str) -> None:
        self._check_token()
        arrival = Arrival(
            workspace_id=self._identity.workspace_id,
            name=name,
            source=self._source,
            tags=_parse_tags(self._fields.get("tags", "")),
            folder_name=self._fields.get("folder", ""),
            created_by=self._identity.user_id,
        )
        self._part.file_name = clean_name(name, self._web.limits.name_bytes)
        try:
            self._part.incoming = IncomingFile(self._web.blobs, self._web.limits, arrival)
        except (StoreUnavailable, StorageFull) as error:
            self._refuse(error)

    def _check_token(self) -> None:
        check_csrf_token(self._identity, self._fields)

    def _take_data(self, data: bytes, start: int, end: int) -> None:
        part = self._part
        if part.field is not None:
            part.data += data[start:end]
            if len(part.data) > _MAX_FIELD:
                raise BadInput(f"A form field is longer than {_MAX_FIELD} bytes. Shorten it, then try again.")
        elif part.incoming:
            self._write(part.incoming, data[start:end])

    def _write(self, incoming: IncomingFile, data: bytes) -> None:
        try:
            incoming.write(data)
        except (TooLarge, StoreUnavailable, StorageFull) as error:
            self._refuse(error)

    def _end_part(self) -> None:
        part = self._part
        if part.field is not None:
            self._fields[part.field] = part.data.decode(errors="replace")
        elif part.incoming:
            self._store(part.incoming)

    def _store(self, incoming: IncomingFile) -> None:
        try:
            receipt = incoming.finish(self._web.db)
        except (StoreUnavailable, StorageFull) as error:
            self._refuse(error)
            return
        self._part.incoming = None
        status: Literal["received", "duplicate"] = "duplicate" if receipt.duplicate else "received"
        existing = receipt.name if receipt.duplicate else None
        self.outcomes.append(UploadResult(self._part.file_name, status, receipt.document_id, existing))

    def _refuse(self, error: DocyardError) -> None:
        """Discard this file and skip the rest of its data; other files of the request are still received."""
        self.abandon()
        status = http_status(error)
        if status >= 500:
            log.warn("upload_not_stored", name=self._part.file_name, error=str(error))
        self.outcomes.append(
            UploadResult(self._part.file_name, "refused", reason=user_message(error), http_status=status)
        )

    def _end(self) -> None:
        self._ended = True


def parse_boundary(content_type: str) -> bytes:
    """Return the boundary of a multipart body; raise BadInput for other content types."""
    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise BadInput("Files must be sent as multipart/form-data.")
    return options[b"boundary"]


def feed_parser(parser: MultipartParser, data: bytes) -> None:
    """Feed the parser; raise BadInput if the data is malformed."""
    try:
        parser.write(data)
    except FormParserError as error:
        raise BadInput("The upload is not valid multipart data.") from error


def _decode_name(raw: bytes) -> str:
    # Browsers percent-encode only these three characters in file names.
    name = raw.decode(errors="replace")
    return name.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n")


def _parse_tags(text: str) -> tuple[str, ...]:
    """Parse comma-separated tags; return at most 20 distinct ones, each cut to 60 characters."""
    entries = text.replace("\x00", "").split(",")
    tags = dict.fromkeys(" ".join(entry.split())[:_MAX_TAG_LENGTH] for entry in entries)
    return tuple(tag for tag in tags if tag)[:_MAX_TAGS]
