"""Writes src/docyard/ocr/activation_ranges.py: the range of each recognition layer, on lines drawn here.

python tools/ocr_ranges.py; needed again only for another model.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from docyard.ocr import models
from docyard.ocr.int8 import folded, is_convolution
from docyard.ocr.recognition import as_input, prepared

_FILE = Path(__file__).parent.parent / "src/docyard/ocr/activation_ranges.py"
_LINES = 160
_CASES = (
    string.ascii_letters,
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits + ".,:-/%$",
    string.ascii_letters + string.digits + string.punctuation,
)
# Their errors reach the answer unsoftened: tried one by one, these changed most of what was read.
_TOO_FINE = {"Conv.45", "Conv.50", "Conv.53", "Conv.54", "Conv.55"}
_HEAD = '''"""Between what the layers of recognition lie; written by tools/ocr_ranges.py."""

from __future__ import annotations

RECOGNITION: dict[str, tuple[float, float]] = {
'''


def main() -> None:
    """Measure and write."""
    found = measured(lines(random.Random(1)))  # noqa: S311 - a run must be repeatable
    rows = [f'    "{name}": ({low:.4g}, {high:.4g}),\n' for name, (low, high) in found.items()]
    _FILE.write_text(_HEAD + "".join(rows) + "}\n")


def measured(pictures: Iterator[Any]) -> dict[str, tuple[float, float]]:
    """The least and the most of what chosen convolutions take in and give out."""
    import onnxruntime
    from onnx import TensorProto, helper

    model = folded(models.path("recognition"))
    chosen = [node for node in model.graph.node if is_convolution(node) and node.name not in _TOO_FINE]
    # Pooled pictures are a pixel wide: little to win and, as they weigh whole channels, much to lose.
    pooled = {node.output[0] for node in model.graph.node if node.op_type == "ReduceMean"}
    chosen = [node for node in chosen if node.input[0] not in pooled]
    names = list(dict.fromkeys(name for node in chosen for name in (node.input[0], node.output[0])))
    del model.graph.output[:]
    inside = [name for name in names if name != "x"]
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in inside)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found = dict.fromkeys(inside, (0.0, 0.0))
    for picture in pictures:
        values = session.run(inside, {"x": as_input([prepared(picture)])})
        for name, value in zip(inside, values, strict=True):
            low, high = found[name]
            found[name] = (min(low, float(value.min())), max(high, float(value.max())))
    return {"x": (-1.0, 1.0), **found} if "x" in names else found


def lines(dice: random.Random) -> Iterator[Any]:
    """Pictures of lines, clean and poor, some ruled, some light on dark."""
    for number in range(_LINES):
        picture = _drawn(dice, _words(dice) if number % 3 else _ruled(dice))
        if dice.random() < 0.5:
            picture = picture.filter(ImageFilter.GaussianBlur(dice.uniform(0.3, 1.6)))
        pixels = np.asarray(picture).astype(np.float32)
        if dice.random() < 0.5:
            pixels += np.random.default_rng(number).normal(0, dice.uniform(2, 30), pixels.shape)
        if dice.random() < 0.1:
            pixels = 255 - pixels
        yield np.clip(pixels, 0, 255).astype(np.uint8)


def _words(dice: random.Random) -> str:
    case = dice.choice(_CASES)
    return " ".join(
        "".join(dice.choice(case) for _ in range(dice.randint(1, 11))) for _ in range(dice.randint(1, 9))
    )


def _ruled(dice: random.Random) -> str:
    marks = dice.choice("-=*_.#+~|") * dice.randint(6, 40)
    return dice.choice(["", "TOTAL ", "No. "]) + marks + dice.choice(["", " 12.50", " X"])


def _drawn(dice: random.Random, text: str) -> Image.Image:
    size = dice.randint(14, 60)
    font = ImageFont.load_default(size)
    width, height = int(font.getbbox(text)[2] + size), int(size * dice.uniform(1.3, 1.9))
    picture = Image.new("RGB", (width, height), (dice.randint(180, 255),) * 3)
    pen = ImageDraw.Draw(picture)
    pen.text((size / 2, size * dice.uniform(0.1, 0.35)), text, (dice.randint(0, 110),) * 3, font)
    if dice.random() < 0.4:  # the feet of the line above, and the heads of the one below
        pen.text((size / 2, -size * dice.uniform(0.75, 0.95)), text[::-1], "black", font)
        pen.text((size / 2, height - size * dice.uniform(0.2, 0.4)), text[::-1], "black", font)
    if dice.random() < 0.15:
        pen.line((0, height * 0.9, width, height * 0.9), (40, 40, 40), dice.randint(1, 6))
    if dice.random() < 0.1:
        pen.rectangle((width * 0.3, 0, width * 0.6, height), "black")
    return picture


if __name__ == "__main__":
    main()
