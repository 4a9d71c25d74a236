"""Measurement of time and memory while all samples are processed as by `docyard process`."""

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
from docyard.pipeline.direct import FileResult, process_file
from eval.corpus import Sample

SLOTS = 2
_SAMPLE_SECONDS = 0.05
_REPORT_EVERY = 50  # files


@dataclass
class Memory:
    """Peak memory in bytes, of the parent, of one child, and of all children."""

    parent: int = 0
    child: int = 0
    children: int = 0


@dataclass
class Run:
    """The results of one run over all samples."""

    processed: list[tuple[Sample, FileResult]] = field(default_factory=list)
    seconds: float = 0.0
    load: float = 0.0
    memory: Memory = field(default_factory=Memory)


def measure(samples: Sequence[Sample]) -> Run:
    """Process all samples in two child processes; return the results, the time and the memory used."""
    run = Run(load=os.getloadavg()[0])
    limits = Limits()
    with _watch_memory(run.memory), ChildPool(SLOTS, limits) as children, ThreadPoolExecutor(SLOTS) as threads:
        started = time.perf_counter()
        results = threads.map(lambda sample: process_file(children, limits, sample.path), samples)
        for number, (sample, done) in enumerate(zip(samples, results, strict=True), start=1):
            run.processed.append((sample, done))
            if number % _REPORT_EVERY == 0:
                print(f"{number} of {len(samples)} files", flush=True)
        run.seconds = time.perf_counter() - started
    return run


@contextmanager
def _watch_memory(memory: Memory) -> Iterator[None]:
    finished = threading.Event()
    thread = threading.Thread(target=_sample_memory, args=(memory, finished))
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _sample_memory(memory: Memory, finished: threading.Event) -> None:
    this = psutil.Process()
    while not finished.wait(_SAMPLE_SECONDS):
        sizes = []
        for child in this.children():
            try:
                sizes.append(child.memory_info().rss)
            except psutil.NoSuchProcess:
                continue
        memory.parent = max(memory.parent, this.memory_info().rss)
        memory.child = max(memory.child, *sizes, 0)
        memory.children = max(memory.children, sum(sizes))
