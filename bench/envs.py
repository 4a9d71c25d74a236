"""One virtual environment per peer, made from its pinned list and kept until the list changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
OLDEST = {"oban": (3, 12), "spacy": (3, 12)}
# Set by a caller, these would change which packages a contestant sees.
_STRAY = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}


class LeftOut(Exception):
    """This contestant cannot take part, and why."""


def peer_python(name: str, lists: Path = ROOT / "bench") -> Path:
    """The interpreter of the peer's environment, which is made when it is missing or out of date."""
    pinned = lists / f"requirements-{name}.txt"
    wanted = pinned.read_text()
    home, stamp = FOLDER / name, FOLDER / name / "stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"Setting up {name} ...", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        _call(_base(OLDEST.get(name, (3, 11))), "-m", "venv", str(home))
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
        _call(str(home / "bin" / "python"), *install, "-r", str(pinned))
        stamp.write_text(wanted)
    return home / "bin" / "python"


def clean_environment() -> dict[str, str]:
    """Our environment without what would leak our packages into a peer."""
    return {name: value for name, value in os.environ.items() if name not in _STRAY}


def _base(oldest: tuple[int, int]) -> str:
    """A Python at least that new: ours, one on PATH, or one that pyenv keeps."""
    if sys.version_info >= oldest:
        return sys.executable
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    names = [f"python3.{minor}" for minor in range(oldest[1], oldest[1] + 5)]
    found = [shutil.which(name) for name in names]
    found += [str(path) for name in names for path in kept.glob(f"{name[6:]}.*/bin/python")]
    for python in found:
        # A name on PATH may be a stand-in for a version that is not installed.
        if python and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:
            return python
    raise LeftOut(f"it needs Python {oldest[0]}.{oldest[1]} or later, and none was found")


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean_environment())
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise LeftOut(f"its environment could not be made ({last})")
