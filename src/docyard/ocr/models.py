"""The models of PP-OCR, taken as files from a package that carries them; nothing else of it is used.

The package's own program would import a dozen others and may fetch what it misses. Here a model that is
not there is simply missing.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docyard.inference.cpu import multiplies_bytes

_PACKAGE = "rapidocr"
_FILES = {
    "detection": "PP-OCRv6_det_small.onnx",
    "recognition": "PP-OCRv6_rec_small.onnx",
    "direction": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


def missing() -> str | None:
    """What is not there of all that the engine needs, in words; None when nothing is."""
    if not all(find_spec(module) for module in ("onnxruntime", "cv2", "numpy")):
        return "onnxruntime, numpy and opencv"
    folder = _folder()
    if folder is None or not all((folder / name).is_file() for name in _FILES.values()):
        return f"the OCR models of the package {_PACKAGE}"
    return None


@lru_cache
def session(kind: str) -> Any:
    """The model of this kind, ready to run on one thread: a child has one core's worth of time."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Plans of memory are made for each size of input and kept, and hardly two lines have the same.
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(_model(kind), options, providers=["CPUExecutionProvider"])


@lru_cache
def alphabet() -> tuple[str, ...]:
    """The characters that recognition tells apart; the first is none at all, the last a space."""
    characters = session("recognition").get_modelmeta().custom_metadata_map["character"]
    return ("", *characters.splitlines(), " ")


def path(kind: str) -> Path:
    """The file of the model of this kind."""
    return (_folder() or Path()) / _FILES[kind]


def _model(kind: str) -> bytes | Path:
    """A file, or what was made of it; only recognition gains enough by eight bits."""
    from docyard.ocr import activation_ranges, int8

    if kind != "recognition" or find_spec("onnx") is None or not multiplies_bytes():
        return path(kind)
    return int8.converted(path(kind), activation_ranges.RECOGNITION)


def _folder() -> Path | None:
    # Found without importing the package.
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "models"
