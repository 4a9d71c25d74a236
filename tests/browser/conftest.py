"""A running Docyard and a real Chromium."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.chaos.installation import wait_for
from tests.conftest import open_folder

TIMEOUT = 120_000  # milliseconds; a busy machine may be slow
expect.set_options(timeout=TIMEOUT)
_FLAGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class Installation:
    """A running Docyard and its command line."""

    home: Path
    environ: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a docyard command on this installation and return its output."""
        completed = subprocess.run(
            [sys.executable, "-m", "docyard", *command],
            env=self.environ,
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return completed.stdout

    def link(self) -> str:
        """Return a one-time sign-in link for the owner."""
        return self.run("sign-in").strip()


@pytest.fixture(scope="module")
def yard() -> Iterator[Installation]:
    """An installation started by `docyard up` in an empty folder."""
    with open_folder() as home:
        home.mkdir()
        environ = {**os.environ, "DOCYARD_HOME": str(home), "DOCYARD_LEASE_SECONDS": "3"}
        log = home.parent / "up.log"
        with log.open("wb") as output:
            up = subprocess.Popen([sys.executable, "-m", "docyard", "up", "--port", "0"], env=environ, stdout=output)
        try:
            wait_for(lambda: re.search(r"/sign-in\?token=\S+", log.read_text()), "the sign-in link")
            yield Installation(home, environ)
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(120)


# Module scope: Playwright runs an event loop in this thread, which must end before other modules are tested.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, found by `make test` or on the PATH."""
    path = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, yard: Installation) -> Iterator[Page]:
    """A signed-in page; an error in its console fails the test."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(yard.link())
    page.wait_for_url(re.compile(r":\d+/$"))
    page.locator("#upload[data-alive]").wait_for(state="attached")
    yield page
    context.close()
    assert errors == []
