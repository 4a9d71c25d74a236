"""The steps of the tutorial, and the two terminals and the browser that its reader uses."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
_STEP = re.compile(r"^```(sh|text)\n(.*?)^```$|^<!-- browser: (.+?) -->$", re.MULTILINE | re.DOTALL)
_END = "end of the block"


@dataclass(frozen=True)
class Step:
    """A block of commands with the output shown after it, or an action in the browser."""

    kind: str
    text: str
    output: str | None = None


def steps() -> Iterator[Step]:
    """Yield the steps of the page in order."""
    found = [(kind or "browser", text or action) for kind, text, action in _STEP.findall(PAGE.read_text())]
    for (kind, text), (next_kind, output) in zip(found, [*found[1:], ("", "")], strict=True):
        if kind != "text":
            yield Step(kind, text, output if next_kind == "text" else None)


def matches(expected: str, printed: str) -> bool:
    """Return whether the output is as expected.

    In a line, … matches any text. As a line of its own, … matches any number of lines.
    """
    lines = ("(?:[^\n]*\n)*?" if line == "…" else _pattern(line) for line in _lines(expected))
    return re.fullmatch("".join(lines), "".join(f"{line}\n" for line in _lines(printed))) is not None


def _pattern(line: str) -> str:
    return re.escape(line).replace("…", "[^\n]*") + "\n"


def _lines(text: str) -> list[str]:
    """Return the lines that are not empty; runs of spaces and of ─ are shortened to one, as widths vary."""
    lines = (re.sub("─+", "─", " ".join(line.split())) for line in text.splitlines())
    return [line for line in lines if line]


class Server:
    """The first terminal, in which `make up` runs until Ctrl-C."""

    def __init__(self, clone: Path, environ: dict[str, str]) -> None:
        self._log = clone / "make.log"
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                # Without run-env, which would install packages again and disturb other tests.
                ["make", "-o", "run-env", "up"],
                cwd=clone,
                env=environ,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def printed(self) -> str:
        """The output so far; raises AssertionError if the server has ended."""
        text = self._log.read_text()
        assert self._process.poll() is None, text
        return text

    @property
    def link(self) -> str:
        """The sign-in link."""
        (link,) = re.findall(r"http://\S+/sign-in\?token=\S+", self.printed)
        return str(link)

    def close(self) -> None:
        """Press Ctrl-C and wait for the end."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)
            self._process.wait(60)


class Shell:
    """The second terminal."""

    def __init__(self, clone: Path, environ: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            ["sh"],
            cwd=clone,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, block: str) -> str:
        """Run commands and return their output; raise AssertionError if the last one fails."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f'{block}echo "{_END} $?"\n')
        self._process.stdin.flush()
        printed = ""
        for line in self._process.stdout:
            if line.startswith(_END):
                assert line == f"{_END} 0\n", printed
                return printed
            printed += line
        raise AssertionError(f"The shell has ended: {printed}")

    def close(self) -> None:
        """End the shell."""
        self._process.communicate()


@dataclass
class Browser:
    """A signed-in user, who sends the requests that the pages send."""

    http: httpx.Client
    token: str

    @classmethod
    def sign_in(cls, link: str) -> Browser:
        """Follow a sign-in link."""
        url = httpx.URL(link)
        http = httpx.Client(base_url=f"{url.scheme}://{url.netloc.decode()}", timeout=30, follow_redirects=True)
        page = http.post("/sign-in", data={"token": url.params["token"]}).text
        (token,) = re.findall(r'<meta name="docyard-csrf" content="([^"]+)">', page)
        return cls(http, token)

    def upload(self, file: Path) -> None:
        """Upload a file, as dropping it on the page does."""
        self._post("/api/v1/documents", files={"files": (file.name, file.read_bytes())})

    def state(self, name: str) -> str:
        """Return the state of a document as the page shows it."""
        return str(self._document(name)["state"]["word"])

    def correct(self, field: str, name: str, value: str) -> None:
        """Correct the value of a field of a document."""
        path = f"/api/v1/documents/{self._document(name)['id']}/facts"
        (number,) = [each["id"] for each in self._get(path)["fields"] if each["name"] == field]
        self._post(f"/api/v1/fields/{number}/correction", data={"value": value})

    def _document(self, name: str) -> Any:
        (found,) = [each for each in self._get("/api/v1/documents")["documents"] if each["name"] == name]
        return found

    def _get(self, path: str) -> Any:
        return self.http.get(path).raise_for_status().json()

    def _post(self, path: str, **body: Any) -> None:
        self.http.post(path, headers={"X-CSRF-Token": self.token}, **body).raise_for_status()
