"""Text of messages whose lines were wrapped on their way (format=flowed), as paragraphs again."""

from __future__ import annotations

import re

_QUOTED = re.compile(r">*")
_SIGNATURE = "-- "


def unwrapped(text: str, *, drop_space: bool = False) -> str:
    """The text with each line that ends in a space joined with the next of the same depth of quotation."""
    lines: list[list[str]] = []
    depth_before, goes_on = 0, False
    for line in text.split("\n"):
        depth = len((_QUOTED.match(line) or [""])[0])
        words = line[depth:].removeprefix(" ")
        if goes_on and depth == depth_before and words != _SIGNATURE:
            lines[-1].append(words)
        else:
            lines.append([f"{'>' * depth} {words}" if depth else words])
        depth_before = depth
        goes_on = words.endswith(" ") and words != _SIGNATURE
        if goes_on and drop_space:
            lines[-1][-1] = lines[-1][-1][:-1]
    return "\n".join("".join(pieces) for pieces in lines)
