"""The only door, besides SQL, through which documents come in."""

from docyard.intake.receive import Arrival, Incoming, receive

__all__ = ["Arrival", "Incoming", "receive"]
