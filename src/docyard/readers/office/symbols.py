"""Characters of the fonts Symbol and Wingdings, which office files refer to by their codes."""

from __future__ import annotations

_UPPER_CASE, _LOWER_CASE = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL = {
    **{0x41 + index: character for index, character in enumerate(_UPPER_CASE)},
    **{0x61 + index: character for index, character in enumerate(_LOWER_CASE)},
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB6: "∂",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xC6: "∅",
    0xCE: "∈",
    0xD1: "∇",
    0xD2: "®",
    0xD3: "©",
    0xD4: "™",
    0xD6: "√",
    0xD7: "⋅",
    0xDE: "⇒",
    0xE5: "∑",
    0xF2: "∫",
}
_WINGDINGS = {
    0x6C: "●",
    0x6E: "■",
    0x6F: "☐",
    0x71: "☐",
    0x9F: "•",
    0xA7: "▪",
    0xA8: "☐",
    0xD8: "➢",
    0xDF: "←",
    0xE0: "→",
    0xE8: "➔",
    0xF0: "⇨",
    0xFB: "✘",
    0xFC: "✔",
    0xFD: "☒",
    0xFE: "☑",
}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}


def decode_symbol(font: str | None, code: str | None) -> str:
    """Return the character for a hex code in a font; a space if unknown, an empty string if not hex."""
    try:
        number = int(code or "", 16)
    except ValueError:
        return ""
    characters = _FONTS.get((font or "").lower(), {})
    return characters.get(number & 0xFF, " ") if number >= 0xF000 or number < 0x100 else _to_char(number)


def _to_char(number: int) -> str:
    return chr(number) if number < 0xD800 else " "
