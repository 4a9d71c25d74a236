"""Limits on the attachments of a document."""

from __future__ import annotations

from dataclasses import replace

from docyard.model.limits import Limits
from docyard.model.stage_values import ExtractedText


def limit_attachments(extracted: ExtractedText, depth: int, limits: Limits) -> ExtractedText:
    """Drop attachments that exceed the limits, with a note for each reason; `depth` counts the containers."""
    if not extracted.attachments:
        return extracted
    if depth >= limits.attachment_depth:
        note = f"This document is nested inside {depth} other documents; its attachments were not extracted."
        return replace(extracted, attachments=(), notes=(*extracted.notes, note))
    notes = list(extracted.notes)
    fitting = [each for each in extracted.attachments if each.size <= limits.upload_bytes]
    if len(fitting) < len(extracted.attachments):
        notes.append(
            "Attachments not extracted because they exceed the upload size limit: "
            f"{len(extracted.attachments) - len(fitting):,}."
        )
    if len(fitting) > limits.attachments:
        notes.append(f"Only the first {limits.attachments:,} of {len(fitting):,} attachments were extracted.")
    return replace(extracted, attachments=tuple(fitting[: limits.attachments]), notes=tuple(notes))
