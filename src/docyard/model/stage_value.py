"""The base of all values that stages take and give."""

from __future__ import annotations


class StageValue:
    """A frozen dataclass that a stage takes or gives; values are told apart by their type."""

    __slots__ = ()
