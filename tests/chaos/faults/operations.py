"""The Operations page as an operator reads it, from a real web process."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from docyard.db.embedded.postmaster import find_free_port
from tests.chaos.installation import ROOT, ChaosInstallation, wait_for

_ADVICE = re.compile(r'data-advice="([^"]+)"')
_TAGS = re.compile(r"<[^>]+>")


@contextmanager
def open_operations(scene: ChaosInstallation) -> Iterator[httpx.Client]:
    """Start a web process, sign in as the owner, and yield a client with the session."""
    scene.environ["DOCYARD_PORT"] = str(find_free_port(None))
    scene.start("serve")
    with httpx.Client(base_url=f"http://127.0.0.1:{scene.environ['DOCYARD_PORT']}", timeout=60) as client:
        wait_for(lambda: _is_up(client), "the web app")
        link = _run(scene, "sign-in").strip()
        client.post("/sign-in", data={"token": link.partition("token=")[2]})
        yield client


def read_operations(client: httpx.Client) -> list[str]:
    """Return the advice of the Operations page, or the text of the page that replaces it."""
    try:
        answer = client.get("/operations")
    except httpx.HTTPError:
        return []
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return [" ".join(_TAGS.sub(" ", answer.text).split())]
    assert answer.status_code == httpx.codes.OK, answer.text
    return _ADVICE.findall(answer.text)


def _is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/sign-in").status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def _run(scene: ChaosInstallation, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "docyard", *command],
        env=scene.make_environ(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout
