"""The base class of all stage inputs and outputs."""

from __future__ import annotations


class StageValue:
    """A frozen dataclass that a stage takes or returns; values are looked up by their type."""

    __slots__ = ()
