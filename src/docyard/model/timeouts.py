"""Every timeout, in seconds, and the order that must hold between them."""

from __future__ import annotations

DOCUMENT = 600.0  # summed running time of one document, not its time in the queue
DEADLINE = 660.0  # after this a running job is given to another worker
AI_CLASSIFICATION = 90.0
CLASSIFICATION_WAIT = 180.0  # how long something that really waits does so (immediate path)
DOWNLOAD = 60.0
UPLOAD = 60.0  # silence in the middle of an upload
EMBEDDING = 30.0
QUERY = 5.0  # how long a page waits for the vector of a search before it goes by words alone
MODEL_LOAD = 60.0  # a model's first answer, on a busy machine
HEARTBEATS_PER_LEASE = 6  # 5 s at the default lease of 30 s
CHILDREN = 3600.0  # how long a job waits for the jobs it enqueued
RENDER = 20.0  # one page image for a waiting reader


def hierarchy_holds() -> bool:
    """Whoever waits must wait longer than what it waits for."""
    longest_call = max(AI_CLASSIFICATION, DOWNLOAD, UPLOAD, EMBEDDING)
    return (
        CHILDREN > DEADLINE > DOCUMENT > longest_call and CLASSIFICATION_WAIT > AI_CLASSIFICATION + DOWNLOAD
    )


if not hierarchy_holds():
    raise AssertionError("timeouts: whoever waits must outlast what it waits for")
