"""Virtual environments of the peers, created from pinned requirements and rebuilt when those change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
MIN_PYTHON = {"oban": (3, 12), "spacy": (3, 12)}
# These variables would change which packages a contestant imports.
_IGNORED_VARIABLES = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}


class PeerUnavailable(Exception):
    """A peer cannot run on this machine; the message states the reason."""


def peer_python(name: str, lists: Path = ROOT / "bench") -> Path:
    """Return the interpreter of a peer's environment, which is created if it is missing or outdated."""
    pinned = lists / f"requirements-{name}.txt"
    requirements = pinned.read_text()
    home, stamp = FOLDER / name, FOLDER / name / "stamp"
    if not stamp.exists() or stamp.read_text() != requirements:
        print(f"Setting up {name} ...", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        _call(_find_python(MIN_PYTHON.get(name, (3, 11))), "-m", "venv", str(home))
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
        _call(str(home / "bin" / "python"), *install, "-r", str(pinned))
        stamp.write_text(requirements)
    return home / "bin" / "python"


def clean_environment() -> dict[str, str]:
    """Return the environment variables without those that affect imports and installations."""
    return {name: value for name, value in os.environ.items() if name not in _IGNORED_VARIABLES}


def _find_python(minimum: tuple[int, int]) -> str:
    """Return a Python of at least this version: the current one, one on PATH, or one installed by pyenv."""
    if sys.version_info >= minimum:
        return sys.executable
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    names = [f"python3.{minor}" for minor in range(minimum[1], minimum[1] + 5)]
    found = [shutil.which(name) for name in names]
    found += [str(path) for name in names for path in versions.glob(f"{name[6:]}.*/bin/python")]
    for python in found:
        # A name on PATH may be a pyenv shim for a version that is not installed.
        if python and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:
            return python
    raise PeerUnavailable(f"it requires Python {minimum[0]}.{minimum[1]} or later, which was not found")


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise PeerUnavailable(f"its environment could not be created ({last})")
