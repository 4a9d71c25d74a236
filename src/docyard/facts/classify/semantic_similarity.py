"""Semantic similarity between the beginning of a text and the descriptions of the types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from docyard.facts.classify.types import DocumentType

if TYPE_CHECKING:
    import numpy as np

_SAMPLE_CHARS = 1_500  # about as much as the model reads
_MIN_CHARS = 150  # the model is not used for a shorter text


def compare_with_types(kinds: Sequence[DocumentType], text: str) -> dict[str, float]:
    """Return each type's similarity to the text, in standard deviations above the mean of all types.

    The result is empty if no model is installed, the text is short, or there are fewer than three types.
    """
    from docyard.inference.embedding import embed, find_model

    model = find_model()
    sample = text[:_SAMPLE_CHARS].strip()
    if model is None or len(sample) < _MIN_CHARS or len(kinds) < 3:
        return {}
    import numpy as np

    type_vectors = _embed_descriptions(model.folder, tuple(kind.description for kind in kinds))
    (vector,) = embed(model.folder, [sample])
    similarities = type_vectors @ np.frombuffer(vector, dtype="<f4")
    spread = float(similarities.std()) or 1.0
    return {
        kind.name: float((value - similarities.mean()) / spread)
        for kind, value in zip(kinds, similarities, strict=True)
    }


@lru_cache(maxsize=16)  # each workspace has its own list of types
def _embed_descriptions(folder: Path, texts: tuple[str, ...]) -> np.ndarray:
    import numpy as np

    from docyard.inference.embedding import embed

    return np.stack([np.frombuffer(vector, dtype="<f4") for vector in embed(folder, texts)])
