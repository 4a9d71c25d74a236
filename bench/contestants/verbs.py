"""The verbs every contestant has, spoken as JSON lines; standard library only, every contestant shares it.

`client` answers `{"verb": name, "given": [...]}` lines until its input ends; `work K` runs jobs in K
processes of the library's own making, or in this one where the library makes none.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Protocol

BULK = 1000
BATCH = 100
TEXT = "x" * 180  # with its key and quotes a payload of about 200 bytes


class Client(Protocol):
    """What the runner asks of a queue; making one installs what the queue needs."""

    def enqueue(self, jobs: int) -> None:
        """Add so many jobs, each durably before the next."""

    def enqueue_bulk(self, calls: int) -> None:
        """Add BULK jobs per call, or one by one where the library knows no other way."""

    def left(self) -> int:
        """How many jobs are not finished."""

    def clear(self) -> None:
        """Forget all jobs, finished ones too."""


def play(client: Callable[[str], Client], work: Callable[[str, int], None]) -> None:
    """Play the part the command line names."""
    url = os.environ["BENCH_URL"]
    if sys.argv[1] == "work":
        work(url, int(sys.argv[2]))
    else:
        _answer(client(url))


def _answer(client: Client) -> None:
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        began = time.monotonic()
        result = getattr(client, asked["verb"])(*asked["given"])
        answer = {"began": began, "ended": time.monotonic(), "result": result}
        print(json.dumps(answer), flush=True)
