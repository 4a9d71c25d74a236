"""Conversion of any image mode to RGB: palettes, CMYK, more than 8 bits per channel, transparency."""

from __future__ import annotations

from typing import Any

from PIL import Image

_DEEP_MODES = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")
_ALPHA_MODES = ("RGBA", "LA", "PA", "RGBa", "La")


def convert_to_rgb(image: Any) -> Any:
    """Convert the image to RGB, with transparency flattened onto white."""
    if image.mode in _DEEP_MODES:
        return _to_eight_bits(image).convert("RGB")
    if image.mode in _ALPHA_MODES or "transparency" in image.info:
        transparent = image.convert("RGBA")
        background = Image.new("RGBA", transparent.size, "white")
        return Image.alpha_composite(background, transparent).convert("RGB")
    return image.convert("RGB")


def _to_eight_bits(image: Any) -> Any:
    """Scale the values of a grey image to 8 bits; Pillow would clip all values above 255 to white."""
    import numpy as np

    pixels = np.asarray(image)
    low, high = float(np.nanmin(pixels)), float(np.nanmax(pixels))
    if image.mode != "F" and low >= 0:
        # For integers, 0 is black, and white is the largest value of the bits in use.
        low, high = 0.0, float(2 ** max(8, int(high).bit_length()) - 1)
    scaled = (pixels - low) * (255.0 / max(high - low, 1e-9))
    return Image.fromarray(np.nan_to_num(scaled).clip(0, 255).astype(np.uint8))
