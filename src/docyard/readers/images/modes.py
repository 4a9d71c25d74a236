"""Pictures of every kind as RGB: palettes, print colours, 16 bits a pixel, and glass on white."""

from __future__ import annotations

from typing import Any

from PIL import Image

_DEEP = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")
_GLASS = ("RGBA", "LA", "PA", "RGBa", "La")


def as_rgb(image: Any) -> Any:
    """The picture in RGB, as it looks on white paper."""
    if image.mode in _DEEP:
        return _shallow(image).convert("RGB")
    if image.mode in _GLASS or "transparency" in image.info:
        clear = image.convert("RGBA")
        paper = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(paper, clear).convert("RGB")
    return image.convert("RGB")


def _shallow(image: Any) -> Any:
    """Eight bits a pixel; Pillow itself would clip everything above 255 to white."""
    import numpy as np

    deep = np.asarray(image)
    low, high = float(np.nanmin(deep)), float(np.nanmax(deep))
    if image.mode != "F" and low >= 0:
        # Whole numbers begin at black; their white is the end of the bits that are in use.
        low, high = 0.0, float(2 ** max(8, int(high).bit_length()) - 1)
    spread = (deep - low) * (255.0 / max(high - low, 1e-9))
    return Image.fromarray(np.nan_to_num(spread).clip(0, 255).astype(np.uint8))
