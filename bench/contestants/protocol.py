"""Protocol between runner and contestants, as JSON lines; standard library only, shared by all contestants.

The role `client` answers lines with `{"verb": name, "arguments": [...]}` until its input ends. The role
`work K` runs jobs in K processes if the library forks, otherwise in this process.
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
TEXT = "x" * 180  # about 200 bytes as a JSON payload


class Client(Protocol):
    """The operations of a queue; creating a client installs the queue's schema."""

    def enqueue(self, jobs: int) -> None:
        """Add this many jobs; each is durable before the next one is added."""

    def enqueue_bulk(self, calls: int) -> None:
        """Add BULK jobs per call, or individually if the library has no bulk call."""

    def count_unfinished(self) -> int:
        """Return the number of jobs that are not finished."""

    def clear(self) -> None:
        """Delete all jobs, including finished ones."""


def run_role(client: Callable[[str], Client], work: Callable[[str, int], None]) -> None:
    """Run the role given on the command line."""
    url = os.environ["BENCH_URL"]
    if sys.argv[1] == "work":
        work(url, int(sys.argv[2]))
    else:
        _serve(client(url))


def _serve(client: Client) -> None:
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        result = getattr(client, request["verb"])(*request["arguments"])
        answer = {"began": began, "ended": time.monotonic(), "result": result}
        print(json.dumps(answer), flush=True)
