"""Reading pictures of text; each engine is a function from a picture to lines of words.

Engines are heavy and read pictures nobody has checked: they only run inside confined children.
"""

from __future__ import annotations

from docyard.errors import Reject
from docyard.ocr import models, tesseract
from docyard.ocr.lines import Engine, SeenLine, SeenWord

__all__ = ["Engine", "SeenLine", "SeenWord", "chosen"]

# What each engine lacks, in words, in the order in which they are preferred.
_MISSING = {"paddle": models.missing, "tesseract": tesseract.missing}


def chosen(name: str) -> Engine:
    """The engine of that name; 'auto' is the better one, or the other where that is not installed."""
    wanted = [one for one in _MISSING if name in (one, "auto")]
    lacking = [lacks for one in wanted if (lacks := _MISSING[one]())]
    ready = [one for one in wanted if _MISSING[one]() is None]
    if not ready:
        raise Reject("not_installed", f"Scans cannot be read here without {' or '.join(lacking)}.")
    if ready[0] == "tesseract":
        return tesseract.read
    from docyard.ocr import paddle

    return paddle.read
