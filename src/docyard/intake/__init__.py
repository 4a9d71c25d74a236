"""File intake: the only way to create documents, apart from SQL inserts."""

from docyard.intake.receive import Arrival, IncomingFile, receive

__all__ = ["Arrival", "IncomingFile", "receive"]
