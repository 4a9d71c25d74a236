"""The options of a worker, and the pools that it serves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from docyard.errors import BadInput


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How many jobs a worker runs at a time, from which pools, and when it stops."""

    slots: int = 0  # 0 means one per CPU core
    llm_slots: int = 10  # slots for jobs that call an LLM, in addition to `slots`
    batch_size: int = 0  # maximum number of jobs per claim; 0 means no limit
    max_docs: int = 0  # number of jobs to claim before stopping; 0 means no limit
    single_run: bool = False
    poll_interval: float = 2.0
    lease_seconds: float = 30.0
    history_days: int = 30
    resources: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    @property
    def slot_count(self) -> int:
        """The configured number of slots, or one per CPU core."""
        return self.slots or os.cpu_count() or 1


def select_pools(options: WorkerOptions, pools: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pools that this worker serves; raise BadInput for an unknown resource or stage."""
    _require_known("resource", options.resources, set(pools.values()))
    _require_known("stage", options.stages, set(pools))
    return filter_pools(options, pools)


def filter_pools(options: WorkerOptions, pools: Mapping[str, str]) -> tuple[str, ...]:
    """Return the pools that match the resources and stages of the options."""
    return tuple(
        pool
        for pool, resource in pools.items()
        if (not options.resources or resource in options.resources) and (not options.stages or pool in options.stages)
    )


def _require_known(kind: str, names: tuple[str, ...], known: set[str]) -> None:
    unknown = sorted(set(names) - known)
    if unknown:
        raise BadInput(f"Unknown {kind}: {', '.join(unknown)}. Choose from: {', '.join(sorted(known))}.")
