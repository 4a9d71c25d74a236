"""Receiving of files; apart from SQL inserts, the only way to create documents."""

from docyard.intake.receive import Arrival, IncomingFile, receive

__all__ = ["Arrival", "IncomingFile", "receive"]
