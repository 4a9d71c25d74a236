"""Plain text of messages in format=flowed (RFC 3676), with wrapped lines joined into paragraphs."""

from __future__ import annotations

import re

_QUOTE_MARKS = re.compile(r">*")
_SIGNATURE = "-- "


def unwrap_lines(text: str, *, drop_space: bool = False) -> str:
    """Join each line that ends in a space with the next of the same quote depth; `drop_space` removes the space."""
    lines: list[list[str]] = []
    previous_depth, continues = 0, False
    for line in text.split("\n"):
        depth = len((_QUOTE_MARKS.match(line) or [""])[0])
        content = line[depth:].removeprefix(" ")
        if continues and depth == previous_depth and content != _SIGNATURE:
            lines[-1].append(content)
        else:
            lines.append([f"{'>' * depth} {content}" if depth else content])
        previous_depth = depth
        continues = content.endswith(" ") and content != _SIGNATURE
        if continues and drop_space:
            lines[-1][-1] = lines[-1][-1][:-1]
    return "\n".join("".join(parts) for parts in lines)
