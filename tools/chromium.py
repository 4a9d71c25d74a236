"""Print the path of a Chromium that starts, for the browser tests; fetch one only if there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_SECONDS = 300
MISSING = """No Chromium was found and none could be fetched; the browser tests need one.
Install it (Debian: apt-get install chromium) or name it: CHROMIUM_PATH=/path/to/chromium make test"""


def main() -> None:
    ways: tuple[Callable[[], str | None], ...] = (named, on_path, downloaded, from_playwright, from_debian)
    for way in ways:
        path = way()
        if path and starts(path):
            print(path)
            return
    sys.exit(MISSING)


def starts(path: str) -> bool:
    """A download without its system libraries exists but does not run."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def named() -> str | None:
    return os.environ.get("CHROMIUM_PATH")


def on_path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def downloaded() -> str | None:
    try:
        from playwright.sync_api import sync_playwright  # Slow, and needless when one is on PATH.
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def from_playwright() -> str | None:
    return downloaded() if fetched(sys.executable, "-m", "playwright", "install", "chromium") else None


def from_debian() -> str | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    fetched("apt-get", "update", "-q")
    return on_path() if fetched("apt-get", "install", "-q", "-y", "chromium") else None


def fetched(*command: str) -> bool:
    """Run an installer with its output on stderr: stdout carries the answer alone."""
    print("Chromium:", *command, file=sys.stderr, flush=True)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, stdout=sys.stderr, env=env, timeout=DOWNLOAD_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


if __name__ == "__main__":
    main()
