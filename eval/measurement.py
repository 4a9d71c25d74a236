"""Reading every sample as `docyard process` does, while somebody watches time and memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Processed, process_file
from eval.corpus import Sample

SLOTS = 2
_LOOK_SECONDS = 0.05
_TELL_EVERY = 50


@dataclass
class Memory:
    """The most memory that was seen in use, in bytes."""

    parent: int = 0
    child: int = 0
    children: int = 0


@dataclass
class Run:
    """Everything one run over the samples came to."""

    processed: list[tuple[Sample, Processed]] = field(default_factory=list)
    seconds: float = 0.0
    load: float = 0.0
    memory: Memory = field(default_factory=Memory)


def measure(samples: Sequence[Sample]) -> Run:
    """Read all samples with two processes."""
    run = Run(load=os.getloadavg()[0])
    limits = Limits()
    with _watched(run.memory), ChildPool(SLOTS, limits) as children, ThreadPoolExecutor(SLOTS) as threads:
        began = time.perf_counter()
        results = threads.map(lambda sample: process_file(children, limits, sample.path), samples)
        for number, (sample, done) in enumerate(zip(samples, results, strict=True), start=1):
            run.processed.append((sample, done))
            if number % _TELL_EVERY == 0:
                print(f"{number} of {len(samples)} files", flush=True)
        run.seconds = time.perf_counter() - began
    return run


@contextmanager
def _watched(memory: Memory) -> Iterator[None]:
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(memory, over))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _watch(memory: Memory, over: threading.Event) -> None:
    this = psutil.Process()
    while not over.wait(_LOOK_SECONDS):
        sizes = []
        for child in this.children():
            try:
                sizes.append(child.memory_info().rss)
            except psutil.NoSuchProcess:
                continue
        memory.parent = max(memory.parent, this.memory_info().rss)
        memory.child = max(memory.child, *sizes, 0)
        memory.children = max(memory.children, sum(sizes))
