"""What children are asked to do; each function can be found by its name, so only its arguments travel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docyard.errors import Reject
from docyard.model.facts import Span
from docyard.model.limits import Limits
from docyard.model.stage_value import StageValue
from docyard.model.stages import Given
from docyard.readers import formats
from docyard.readers.image_types import PICTURES
from docyard.stages import stage


def run_stage(name: str, given: Given) -> StageValue:
    """Run one stage on the values it asked for."""
    return stage(name).run(given)


def unlock_pdf(path: Path, password: str) -> bytes:
    """A copy of a PDF without its password."""
    from docyard.readers.pdf import unlock as pdf_unlock

    return pdf_unlock.unlocked(path, password)


def take_out(path: Path, media_type: str, member: str, target: Path, limits: Limits) -> None:
    """Write one file that is inside another to `target`, which nobody else names."""
    target.write_bytes(formats.read_member(path, media_type, member, limits))


def render_page(path: Path, media_type: str, number: int, width: int) -> bytes:
    """One page as a PNG, about so many pixels across; pages count from one."""
    if media_type == "application/pdf":
        from docyard.readers.pdf import reader as pdf

        return pdf.render(path, number, width)
    if media_type in PICTURES:
        from docyard.readers.images import reader as images

        return images.render(path, media_type, number, width)
    raise Reject("unsupported_file_type", f"Pages of {media_type} files cannot be shown as images.")


def draw_first_page(path: Path, media_type: str) -> bytes:
    """The first page as a JPEG for a model to look at."""
    from docyard.readers import page_image

    return page_image.first_page(path, media_type)


def embed_texts(folder: Path, texts: Sequence[str]) -> list[bytes]:
    """The vector of each text by the model in that folder."""
    from docyard.inference import embedding

    return embedding.embed(folder, texts)


def find_value(field: str, value: str, pages: Sequence[tuple[int, str]], most: int) -> list[Span]:
    """The first places of pages, by number and text, that say this value of a field."""
    from docyard.facts.fields.occurrences import occurrences

    return occurrences(field, value, pages, most)


def normal_at(field: str, value: str, text: str, place: Span) -> str | None:
    """The normal form of what a page says at this place; None where it does not say this value of a field."""
    from docyard.facts.fields.occurrences import normal_at as found

    return found(field, value, text, place)
