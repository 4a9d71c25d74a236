"""Document readers of Docyard and other projects, each in its own process and environment."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bench.envs import ROOT, PeerUnavailable, clean_environment, peer_python

_TIMEOUT = 300.0  # seconds per file


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a file, or the error, and the wall and CPU seconds of the reader."""

    text: str
    error: str
    clock: float
    processor: float


class Peer:
    """A reader process for many files; it is restarted if it stops or does not answer."""

    def __init__(self, name: str, lists: Path = ROOT / "bench") -> None:
        self.name = name
        own = name == "docyard"
        self._python = Path(sys.executable) if own else peer_python(name, lists)
        self._environment = dict(os.environ) if own else clean_environment()
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(self._python), "-m", "bench.readers", self.name],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def read(self, path: Path) -> Answer:
        """Read a file; the error is set if the reader fails, stops or does not answer in time."""
        started = time.perf_counter()
        with suppress(BrokenPipeError):
            print(json.dumps(str(path.resolve())), file=self._process.stdin, flush=True)
        if line := self._read_line():
            return Answer(**json.loads(line))
        self._kill()
        self._process = self._start()
        lost = time.perf_counter() - started
        return Answer("", "the reader stopped or did not answer", lost, lost)

    def _read_line(self) -> str:
        answers = self._process.stdout
        with selectors.DefaultSelector() as selector:
            if answers is not None:
                selector.register(answers, selectors.EVENT_READ)
            return answers.readline() if answers and selector.select(_TIMEOUT) else ""

    def _kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()


def start_peers(names: Sequence[str], lists: Path = ROOT / "bench") -> list[Peer]:
    """Start the readers whose environment can be created, and print why the others are skipped."""
    found = []
    for name in names:
        try:
            found.append(Peer(name, lists))
        except PeerUnavailable as reason:
            print(f"{name} is skipped: {reason}.", file=sys.stderr)
    return found
