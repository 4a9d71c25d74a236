"""OCR engines: functions from an image to lines of words.

Engines need much memory and read untrusted images, so they run only in confined child processes.
"""

from __future__ import annotations

from docyard.errors import Reject
from docyard.ocr import models, tesseract
from docyard.ocr.lines import Engine, OcrLine, OcrWord

__all__ = ["Engine", "OcrLine", "OcrWord", "select_engine"]

# In order of preference.
_FIND_MISSING = {"paddle": models.find_missing, "tesseract": tesseract.find_missing}


def select_engine(name: str) -> Engine:
    """Return the engine with this name, or the best one for 'auto'; raise Reject if none is installed."""
    candidates = [engine for engine in _FIND_MISSING if name in (engine, "auto")]
    missing = [requirement for engine in candidates if (requirement := _FIND_MISSING[engine]())]
    installed = [engine for engine in candidates if _FIND_MISSING[engine]() is None]
    if not installed:
        message = f"Scans cannot be read on this machine: {' or '.join(missing)} must be installed."
        raise Reject("not_installed", message)
    if installed[0] == "tesseract":
        return tesseract.read
    from docyard.ocr import paddle

    return paddle.read
