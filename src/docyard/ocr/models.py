"""PP-OCR models, loaded from the files of the package rapidocr.

The package itself is not imported: it imports a dozen others and may download missing models.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docyard.inference.cpu import has_vnni

_PACKAGE = "rapidocr"
_FILES = {
    "detection": "PP-OCRv6_det_small.onnx",
    "recognition": "PP-OCRv6_rec_small.onnx",
    "direction": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


def find_missing() -> str | None:
    """Return what must be installed before the engine can run, or None if nothing is missing."""
    if not all(find_spec(module) for module in ("onnxruntime", "cv2", "numpy")):
        return "onnxruntime, numpy and opencv"
    folder = _find_folder()
    if folder is None or not all((folder / name).is_file() for name in _FILES.values()):
        return f"the OCR models of the package {_PACKAGE}"
    return None


@lru_cache
def load_session(kind: str) -> Any:
    """Return a session of this model, with one thread because a child process may use only one core."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # ONNX Runtime would keep a memory plan for each input shape, and few lines have the same shape.
    options.enable_mem_pattern = False
    return onnxruntime.InferenceSession(_load_model(kind), options, providers=["CPUExecutionProvider"])


@lru_cache
def load_alphabet() -> tuple[str, ...]:
    """Return the output characters of the recognition model; the first is the CTC blank, the last a space."""
    characters = load_session("recognition").get_modelmeta().custom_metadata_map["character"]
    return ("", *characters.splitlines(), " ")


def model_path(kind: str) -> Path:
    """Return the path of the model file of this kind."""
    return (_find_folder() or Path()) / _FILES[kind]


def _load_model(kind: str) -> bytes | Path:
    """Return the path of a model; for recognition, the int8 model if onnx and VNNI are available.

    The other models gain little from int8.
    """
    from docyard.ocr import activation_ranges, int8

    if kind != "recognition" or find_spec("onnx") is None or not has_vnni():
        return model_path(kind)
    return int8.convert_to_int8(model_path(kind), activation_ranges.RECOGNITION)


def _find_folder() -> Path | None:
    # find_spec does not import the package.
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "models"
