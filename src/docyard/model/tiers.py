"""Service tiers, and the default priority and number of attempts of a job."""

from __future__ import annotations

from enum import IntEnum


class Tier(IntEnum):
    """A service tier; lower numbers are served more often, according to the weights in the table `tiers`."""

    USER_UPLOAD = 0
    BACKGROUND = 1
    LOW = 2

    @property
    def label(self) -> str:
        """The name in lower case, as pages and the API show it."""
        return self.name.lower()


DEFAULT_PRIORITY = 100
DEFAULT_MAX_ATTEMPTS = 3
