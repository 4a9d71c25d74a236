"""Set up .venv from the hashed requirements: `bootstrap.py run` or `bootstrap.py test`.

A stamp per set keeps the checksum of what was installed, so that a second call installs nothing and
needs no network. Standard library only, and readable by Python 3.7, so that it can say what is missing.
"""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# Each set is a list of (file, extra pip options), installed in order.
RUN = [("requirements/run.txt", []), ("requirements/bare.txt", ["--no-deps"])]
SETS = {"run": RUN, "test": [*RUN, ("requirements/test.txt", [])]}
OLDEST = (3, 11)
# Set by a caller, these would install into, or be satisfied from, somewhere else.
STRAY = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}


def main():
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in SETS:
        sys.exit("usage: bootstrap.py " + "|".join(SETS))
    require_python()
    with only_one():
        if stamp(name).exists() and stamp(name).read_text() == key(name):
            return
        make_venv()
        install(name)


def require_python():
    if sys.version_info < OLDEST:
        found = "{} is {}.{}".format(sys.executable, *sys.version_info[:2])
        sys.exit("Docyard needs Python 3.11 or later; " + found + ". Name another: make up PYTHON=python3.12")
    try:
        import ensurepip  # noqa: F401  Debian splits it off; its absence deserves an explanation
        import venv  # noqa: F401
    except ImportError:
        sys.exit("This Python lacks venv or ensurepip. On Debian or Ubuntu: apt-get install python3-venv")


@contextlib.contextmanager
def only_one():
    """Two makes at once would install over each other; this file itself is the lock, so no litter stays."""
    with Path(__file__).open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def stamp(name):
    return VENV / ("stamp-" + name)


def key(name):
    """What the set was made from: the lists and what the editable install records, not the linters' rules."""
    import tomllib  # Older Pythons lack it, and have been refused by now.

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    digest = hashlib.sha256((home() + repr(project)).encode())
    for path, _ in SETS[name]:
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()


def home():
    """An environment works only where it was made and with the Python that made it."""
    return "{} {}.{}".format(VENV, *sys.version_info[:2])


def make_venv():
    made_at = VENV / "stamp-home"
    if PYTHON.exists() and made_at.exists() and made_at.read_text() == home():
        return
    # The base interpreter, because `make` may be called from inside the very environment it replaces.
    base = getattr(sys, "_base_executable", sys.executable)
    call(base, "-m", "venv", "--clear", str(VENV))
    made_at.write_text(home())


def install(name):
    print("Installing the {} packages into .venv ...".format(name), flush=True)
    pip = [
        str(PYTHON),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-warn-conflicts",
        "--disable-pip-version-check",
    ]
    for path, options in SETS[name]:
        call(*pip, "--require-hashes", *options, "-r", str(ROOT / path))
    call(*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    stamp(name).write_text(key(name))


def call(*command):
    env = {name: value for name, value in os.environ.items() if name not in STRAY}
    done = subprocess.run(command, env=env, check=False)
    if done.returncode != 0:
        sys.exit("Setting up failed: " + " ".join(command))


if __name__ == "__main__":
    main()
