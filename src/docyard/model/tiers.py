"""Tiers of service and the share of capacity each is guaranteed."""

from __future__ import annotations

from enum import IntEnum


class Tier(IntEnum):
    """Smaller is served more often; the weights live in the table `tiers`."""

    USER_UPLOAD = 0
    BACKGROUND = 1
    LOW = 2

    @property
    def label(self) -> str:
        """The name people use."""
        return self.name.lower()


DEFAULT_PRIORITY = 100
DEFAULT_MAX_ATTEMPTS = 3
