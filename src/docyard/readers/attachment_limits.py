"""Which of the files found inside a document become documents of their own, and a note on the others."""

from __future__ import annotations

from dataclasses import replace

from docyard.model.limits import Limits
from docyard.model.values import Extracted


def within_limits(found: Extracted, depth: int, limits: Limits) -> Extracted:
    """What was read, its attachments cut to the limits; `depth` counts the documents around this one."""
    if not found.attachments:
        return found
    if depth >= limits.attachment_depth:
        note = f"It lies inside {depth} other documents; the files inside it were not taken out."
        return replace(found, attachments=(), notes=(*found.notes, note))
    notes = list(found.notes)
    fitting = [each for each in found.attachments if each.size <= limits.upload_bytes]
    if len(fitting) < len(found.attachments):
        notes.append(
            f"{len(found.attachments) - len(fitting):,} files inside it are too large to be taken out."
        )
    if len(fitting) > limits.attachments:
        notes.append(f"Only {limits.attachments:,} of the {len(fitting):,} files inside it were taken out.")
    return replace(found, attachments=tuple(fitting[: limits.attachments]), notes=tuple(notes))
