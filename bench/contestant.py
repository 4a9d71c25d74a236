"""A contestant: its entry, its client process, and its worker processes."""

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


class ContestantError(Exception):
    """A contestant failed or did not answer in time."""


@dataclass(frozen=True)
class Entry:
    """A row of the tables: the script that runs a queue, its environment, and the number of jobs."""

    name: str
    script: str
    jobs: int  # per burn-down; enough for a second or more
    settings: str
    environment: str = ""  # name of the virtual environment; empty means Docyard's own
    forks: bool = False  # forks its worker processes itself
    bulk: bool = True  # has a call that adds many jobs
    on_redis: bool = False
    variables: dict[str, str] = field(default_factory=dict)  # environment variables of its processes

    @property
    def database(self) -> str:
        """The name of its database and its log file."""
        return "bench_" + self.name.replace(" ", "_").replace(",", "")


class Contestant:
    """An entry with its interpreter, the URL of its server, and its client process."""

    def __init__(self, entry: Entry, python: Path, url: str, vacuum: Callable[[], None]) -> None:
        self.entry = entry
        self.vacuum = vacuum
        self._python = python
        self._environment = {**clean_environment(), **entry.variables, "BENCH_URL": url}
        if not entry.environment and "PYTHONPATH" in os.environ:
            self._environment["PYTHONPATH"] = os.environ["PYTHONPATH"]
        self.client = Client(self.start("client", {}))

    def start(self, role: str, variables: dict[str, str]) -> subprocess.Popen[str]:
        """Start a process with this role in its own process group, so that its children can be killed."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        with (FOLDER / f"{self.entry.database}.log").open("a") as log:
            return subprocess.Popen(
                [str(self._python), "-m", f"bench.contestants.{self.entry.script}", *role.split()],
                cwd=ROOT,
                env={**self._environment, **variables},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def workers(self, processes: int, **variables: str) -> WorkerGroup:
        """Start workers, and return when they are loaded and wait for `go`."""
        roles = [f"work {processes}"] if self.entry.forks else ["work 1"] * processes
        return WorkerGroup([self.start(role, variables) for role in roles])

    def preload(self, jobs: int) -> None:
        """Empty the queue, enqueue this many jobs, and vacuum the database."""
        self.client.clear()
        self.client.ask("enqueue_bulk", jobs // 1000)
        if jobs % 1000:
            self.client.ask("enqueue", jobs % 1000)
        self.vacuum()


class Client:
    """The client process, which enqueues and counts jobs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._read()

    def ask(self, verb: str, *arguments: int) -> dict[str, Any]:
        """Run a method of the client; the answer contains the result and the times of start and end."""
        print(json.dumps({"verb": verb, "arguments": arguments}), file=self._process.stdin, flush=True)
        return self._read()

    def count_unfinished(self) -> int:
        """Return the number of jobs that are not finished."""
        return int(self.ask("count_unfinished")["result"])

    def clear(self) -> None:
        """Delete all jobs."""
        self.ask("clear")

    def close(self) -> None:
        """Stop the process."""
        _stop(self._process, signal.SIGTERM)

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise ContestantError(f"the client stopped; see the logs in {FOLDER}")
        answer: dict[str, Any] = json.loads(line)
        return answer


class WorkerGroup:
    """Worker processes and their reports of the jobs they started."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self.starts: queue.Queue[float] = queue.Queue()
        self._processes = processes
        self._reports: dict[int, dict[str, float]] = {}
        self._ready = threading.Semaphore(0)
        for process in processes:
            threading.Thread(target=self._listen, args=(process.stdout,), daemon=True).start()
        for _ in processes:
            if not self._ready.acquire(timeout=_START_SECONDS):
                self.kill()
                raise ContestantError(f"a worker did not start; see the logs in {FOLDER}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            _stop(process, signal.SIGTERM)

    def go(self) -> None:
        """Let all workers start."""
        for process in self._processes:
            print(file=process.stdin, flush=True)

    def kill(self) -> None:
        """Kill all workers with SIGKILL."""
        for process in self._processes:
            _stop(process, signal.SIGKILL)

    @property
    def ran(self) -> int:
        """The number of jobs started so far."""
        return int(sum(report["ran"] for report in list(self._reports.values())))

    @property
    def first(self) -> float:
        """The time at which the first job started."""
        return min(report["first"] for report in list(self._reports.values()))

    @property
    def last(self) -> float:
        """The time at which the last job started."""
        return max(report["last"] for report in list(self._reports.values()))

    def await_jobs(self, jobs: int, seconds: float) -> None:
        """Wait until this many jobs have started; raise ContestantError on timeout or if all workers stop."""
        deadline = time.monotonic() + seconds
        while self.ran < jobs:
            if all(process.poll() is not None for process in self._processes):
                raise ContestantError(f"all workers stopped; see the logs in {FOLDER}")
            if time.monotonic() > deadline:
                raise ContestantError(f"only {self.ran:,} of {jobs:,} jobs ran within {seconds:.0f} s")
            time.sleep(0.005)

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            if not line.startswith("{"):
                continue
            report = json.loads(line)
            if "ready" in report:
                self._ready.release()
            else:
                self._reports[int(report["pid"])] = report
                self.starts.put(report["last"])


def _stop(process: subprocess.Popen[str], first: signal.Signals) -> None:
    """Stop the process group with this signal, or with SIGKILL after a timeout."""
    if process.returncode is not None:
        return
    for number in (first, signal.SIGKILL):
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
