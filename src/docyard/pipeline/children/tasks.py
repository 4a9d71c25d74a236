"""The functions that run in children; a request names the function instead of sending its code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docyard.errors import Reject, Wait, is_disk_full
from docyard.model.facts import Span
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stages import StageInput
from docyard.readers import formats
from docyard.readers.image_types import IMAGE_TYPES
from docyard.stages import get_stage

_FULL_DISK_PAUSE = 3.0  # seconds until the job is tried again


def run_stage(name: str, inputs: StageInput) -> StageValue:
    """Run one stage on its inputs."""
    return get_stage(name).run(inputs)


def unlock_pdf(path: Path, password: str) -> bytes:
    """Return a copy of a PDF without its password."""
    from docyard.readers.pdf import decryption

    return decryption.decrypt_pdf(path, password)


def extract_member(path: Path, media_type: str, member: str, target: Path, limits: Limits) -> None:
    """Extract one member of a file and write it to `target`."""
    data = formats.read_member(path, media_type, member, limits)
    try:
        target.write_bytes(data)
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise Wait("storage", "There is no space left for temporary files.", _FULL_DISK_PAUSE) from error


def render_page(path: Path, media_type: str, number: int, width: int) -> bytes:
    """Render one page as a PNG of about this width in pixels; page numbers start at 1."""
    if media_type == "application/pdf":
        from docyard.readers.pdf import reader as pdf

        return pdf.render_png(path, number, width)
    if media_type in IMAGE_TYPES:
        from docyard.readers.images import reader as images

        return images.render(path, media_type, number, width)
    raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be shown as images.")


def draw_first_page(path: Path, media_type: str) -> bytes:
    """Render the first page as a JPEG for an LLM; empty if the JPEG is too large even at low quality."""
    from docyard.readers import first_page_image

    return first_page_image.encode_first_page(path, media_type)


def embed_texts(folder: Path, texts: Sequence[str]) -> list[bytes]:
    """Return the vector of each text, computed by the model in this folder."""
    from docyard.inference import embedding

    return embedding.embed(folder, texts)


def find_value(field: str, value: str, pages: Sequence[tuple[int, str]], limit: int) -> list[Span]:
    """Return the first `limit` spans where the pages (number, text) contain this value of a field."""
    from docyard.facts.fields.occurrences import find_occurrences

    return find_occurrences(field, value, pages, limit)


def normalise_at_span(field: str, value: str, text: str, span: Span) -> str | None:
    """Return the normal form of the text in this span, or None if it is not this value of the field."""
    from docyard.facts.fields import occurrences

    return occurrences.normalise_at_span(field, value, text, span)
