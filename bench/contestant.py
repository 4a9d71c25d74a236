"""A contestant as the runner sees it: who it is, its client process, and its crew of workers."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from bench.envs import FOLDER, ROOT, clean_environment

_START_SECONDS = 60.0
_STOP_SECONDS = 10.0


class Failed(Exception):
    """A contestant did not do what it was asked in time."""


@dataclass(frozen=True)
class Entry:
    """One line of the tables: which script plays it, with what, and how much it is given to do."""

    name: str
    script: str
    jobs: int  # per burn-down, so many that it lasts a second or more
    settings: str
    environment: str = ""  # of the virtual environment; empty is Docyard's own
    forks: bool = False  # makes its worker processes itself
    bulk: bool = True  # has a call that adds many
    on_redis: bool = False
    more: dict[str, str] = field(default_factory=dict)

    @property
    def database(self) -> str:
        """The name of its database."""
        return "bench_" + self.name.replace(" ", "_").replace(",", "")


class Contestant:
    """An entry with its interpreter and address."""

    def __init__(self, entry: Entry, python: Path, url: str, settle_down: Callable[[], None]) -> None:
        self.entry = entry
        self.settle_down = settle_down
        self._python = python
        self._environment = {**clean_environment(), **entry.more, "BENCH_URL": url}
        if not entry.environment and "PYTHONPATH" in os.environ:
            self._environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
        self.client = Client(self.start("client", {}))

    def start(self, part: str, more: dict[str, str]) -> subprocess.Popen[str]:
        """A process in the part named, in a group of its own so that it can be killed whole."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        with (FOLDER / f"{self.entry.database}.log").open("a") as log:
            return subprocess.Popen(
                [str(self._python), "-m", f"bench.contestants.{self.entry.script}", *part.split()],
                cwd=ROOT,
                env={**self._environment, **more},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def crew(self, processes: int, **more: str) -> Crew:
        """Workers, loaded and waiting for the start."""
        parts = [f"work {processes}"] if self.entry.forks else ["work 1"] * processes
        return Crew([self.start(part, more) for part in parts])

    def preload(self, jobs: int) -> None:
        """Let exactly so many jobs wait."""
        self.client.clear()
        self.client.ask("enqueue_bulk", jobs // 1000)
        if jobs % 1000:
            self.client.ask("enqueue", jobs % 1000)
        self.settle_down()


class Client:
    """The process that enqueues and counts."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._read()

    def ask(self, verb: str, *given: int) -> dict[str, Any]:
        """One verb; the answer says when it began and ended by the contestant's own clock."""
        print(json.dumps({"verb": verb, "given": given}), file=self._process.stdin, flush=True)
        return self._read()

    def left(self) -> int:
        """How many jobs are not finished."""
        return int(self.ask("left")["result"])

    def clear(self) -> None:
        """Forget all jobs."""
        self.ask("clear")

    def close(self) -> None:
        """End it."""
        _end(self._process, signal.SIGTERM)

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise Failed("its client ended; see its log")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Crew:
    """Worker processes and what they say of the jobs they ran."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self.starts: queue.Queue[float] = queue.Queue()
        self._processes = processes
        self._said: dict[int, dict[str, float]] = {}
        self._ready = threading.Semaphore(0)
        for process in processes:
            threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()
        for _ in processes:
            if not self._ready.acquire(timeout=_START_SECONDS):
                self.kill()
                raise Failed("a worker did not start; see its log")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            _end(process, signal.SIGTERM)

    def go(self) -> None:
        """Let all of them begin."""
        for process in self._processes:
            print(file=process.stdin, flush=True)

    def kill(self) -> None:
        """End them as a power cut would."""
        for process in self._processes:
            _end(process, signal.SIGKILL)

    @property
    def ran(self) -> int:
        """Jobs started so far."""
        return int(sum(said["ran"] for said in list(self._said.values())))

    @property
    def first(self) -> float:
        """When the first of them started."""
        return min(said["first"] for said in list(self._said.values()))

    @property
    def last(self) -> float:
        """When the last of them started."""
        return max(said["last"] for said in list(self._said.values()))

    def await_ran(self, jobs: int, seconds: float) -> None:
        """Wait until so many were started."""
        deadline = time.monotonic() + seconds
        while self.ran < jobs:
            if all(process.poll() is not None for process in self._processes):
                raise Failed("its workers ended; see its log")
            if time.monotonic() > deadline:
                raise Failed(f"only {self.ran:,} of {jobs:,} jobs ran within {seconds:.0f} s")
            time.sleep(0.005)

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            if not line.startswith("{"):
                continue
            said = json.loads(line)
            if "ready" in said:
                self._ready.release()
            else:
                self._said[int(said["pid"])] = said
                self.starts.put(said["last"])


def _end(process: subprocess.Popen[str], how: signal.Signals) -> None:
    """End the process and then, whatever it left behind, its whole group."""
    if process.returncode is not None:
        return
    for number in (how, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(_STOP_SECONDS)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
    process.wait()
    if process.stdin:
        process.stdin.close()
