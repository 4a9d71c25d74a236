"""Print the path of a working Chromium for the browser tests; download one only if none is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOAD_SECONDS = 300
MISSING = """The browser tests require Chromium, which was not found and could not be downloaded.
Install it (Debian: apt-get install chromium) or specify it: CHROMIUM_PATH=/path/to/chromium make test"""


def main() -> None:
    finders: tuple[Callable[[], str | None], ...] = (
        find_in_environment,
        find_on_path,
        find_downloaded,
        install_by_playwright,
        install_by_apt,
    )
    for find in finders:
        path = find()
        if path and can_start(path):
            print(path)
            return
    sys.exit(MISSING)


def can_start(path: str) -> bool:
    """Return whether the program runs; a download without its system libraries exists but does not start."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def find_in_environment() -> str | None:
    return os.environ.get("CHROMIUM_PATH")


def find_on_path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def find_downloaded() -> str | None:
    try:
        from playwright.sync_api import sync_playwright  # slow; not needed if Chromium is on PATH
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install_by_playwright() -> str | None:
    return find_downloaded() if run_installer(sys.executable, "-m", "playwright", "install", "chromium") else None


def install_by_apt() -> str | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    run_installer("apt-get", "update", "-q")
    return find_on_path() if run_installer("apt-get", "install", "-q", "-y", "chromium") else None


def run_installer(*command: str) -> bool:
    """Run an installer and return whether it succeeded; its output goes to stderr, not to stdout."""
    print("Chromium:", *command, file=sys.stderr, flush=True)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, stdout=sys.stderr, env=env, timeout=DOWNLOAD_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


if __name__ == "__main__":
    main()
