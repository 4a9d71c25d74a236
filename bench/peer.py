"""Another project's reader of documents, asked in a process and an environment of its own."""

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

from bench.envs import ROOT, LeftOut, clean_environment, peer_python

_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read of a file, why nothing was, and the seconds of the reader's clock and processor."""

    text: str
    error: str
    clock: float
    processor: float


class Peer:
    """A reader that stays loaded; one that ends or does not answer is started anew for the next file."""

    def __init__(self, name: str, lists: Path = ROOT / "bench") -> None:
        self.name = name
        own = name == "docyard"
        self._python = Path(sys.executable) if own else peer_python(name, lists)
        self._environment = dict(os.environ) if own else clean_environment()
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
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
        """Let it read a file."""
        began = time.perf_counter()
        with suppress(BrokenPipeError):
            print(json.dumps(str(path.resolve())), file=self._process.stdin, flush=True)
        if line := self._line():
            return Answer(**json.loads(line))
        self._end()
        self._process = self._started()
        lost = time.perf_counter() - began
        return Answer("", "it ended or did not answer", lost, lost)

    def _line(self) -> str:
        answers = self._process.stdout
        with selectors.DefaultSelector() as waiting:
            if answers is not None:
                waiting.register(answers, selectors.EVENT_READ)
            return answers.readline() if answers and waiting.select(_SECONDS) else ""

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def peers(names: Sequence[str], lists: Path = ROOT / "bench") -> list[Peer]:
    """Those whose environment can be made; the others are named with the reason."""
    found = []
    for name in names:
        try:
            found.append(Peer(name, lists))
        except LeftOut as reason:
            print(f"{name} is left out: {reason}.", file=sys.stderr)
    return found
