"""Timeouts in seconds, and a check that they are consistent."""

from __future__ import annotations

DOCUMENT = 600.0  # total running time of one document, excluding time in the queue
DEADLINE = 660.0  # after this a running job is taken from its worker and retried
AI_CLASSIFICATION = 90.0
CLASSIFICATION_WAIT = 180.0  # how long a document waits for an unavailable LLM
DOWNLOAD = 60.0
UPLOAD = 60.0  # longest pause between two parts of an upload
EMBEDDING = 30.0
QUERY = 5.0  # how long a search waits for its query vector before it continues without one
MODEL_LOAD = 60.0  # until a model is loaded and returns its first result, on a busy machine
HEARTBEATS_PER_LEASE = 6  # one every 5 s at the default lease of 30 s
CHILDREN = 3600.0  # how long a job waits for its child jobs
RENDER = 20.0  # one page image


def is_order_valid() -> bool:
    """Return whether every timeout is longer than the timeouts of the operations it covers."""
    longest_call = max(AI_CLASSIFICATION, DOWNLOAD, UPLOAD, EMBEDDING)
    return CHILDREN > DEADLINE > DOCUMENT > longest_call and CLASSIFICATION_WAIT > AI_CLASSIFICATION + DOWNLOAD


if not is_order_valid():
    raise AssertionError("a timeout must be longer than the timeouts of the operations it covers")
