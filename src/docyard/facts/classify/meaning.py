"""How near the beginning of a text is in meaning to the descriptions of the types."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from docyard.facts.classify.types import DocumentType

if TYPE_CHECKING:
    import numpy as np

_SAMPLE_CHARS = 1_500  # about as much as the model takes in
_FEWEST_CHARS = 150  # a line or two mean too little to load a model for


def nearness(kinds: Sequence[DocumentType], text: str) -> dict[str, float]:
    """By how many standard deviations each type is nearer than the mean; nothing where there is no model."""
    from docyard.inference.embedding import embed, find_model

    model = find_model()
    sample = text[:_SAMPLE_CHARS].strip()
    if model is None or len(sample) < _FEWEST_CHARS or len(kinds) < 3:
        return {}
    import numpy as np

    types = _vectors(model.folder, tuple(kind.description for kind in kinds))
    (packed,) = embed(model.folder, [sample])
    near = types @ np.frombuffer(packed, dtype="<f4")
    spread = float(near.std()) or 1.0
    return {kind.name: float((value - near.mean()) / spread) for kind, value in zip(kinds, near, strict=True)}


@lru_cache(maxsize=16)  # workspaces have lists of their own
def _vectors(folder: Path, texts: tuple[str, ...]) -> np.ndarray:
    import numpy as np

    from docyard.inference.embedding import embed

    return np.stack([np.frombuffer(packed, dtype="<f4") for packed in embed(folder, texts)])
