"""What a worker can be told."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from docyard.errors import BadInput


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How much a worker takes, of what, and when it stops by itself."""

    slots: int = 0
    asking: int = 10  # jobs that wait for a language model at once, beside the slots
    batch_size: int = 0
    max_docs: int = 0
    single_run: bool = False
    poll_interval: float = 2.0
    lease_seconds: float = 30.0
    history_days: int = 30
    resources: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    @property
    def slot_count(self) -> int:
        """Slots as asked for, or one per core."""
        return self.slots or os.cpu_count() or 1


def served_pools(options: WorkerOptions, pools: Mapping[str, str]) -> tuple[str, ...]:
    """The pools this worker serves; asking for one that does not exist is an error, not an idle worker."""
    _require_known("resource", options.resources, set(pools.values()))
    _require_known("stage", options.stages, set(pools))
    return asked_pools(options, pools)


def asked_pools(options: WorkerOptions, pools: Mapping[str, str]) -> tuple[str, ...]:
    """Those of the pools that this worker was asked to serve."""
    return tuple(
        pool
        for pool, resource in pools.items()
        if (not options.resources or resource in options.resources)
        and (not options.stages or pool in options.stages)
    )


def _require_known(kind: str, asked: tuple[str, ...], known: set[str]) -> None:
    unknown = sorted(set(asked) - known)
    if unknown:
        raise BadInput(f"There is no {kind} {', '.join(unknown)}; there are {', '.join(sorted(known))}.")
