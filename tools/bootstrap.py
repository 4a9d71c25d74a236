"""Set up .venv from the hashed requirements: `bootstrap.py run` or `bootstrap.py test`.

A stamp file per set stores the checksum of the installed requirements, so that a second call installs nothing
and needs no network. This file uses only the standard library and the syntax of Python 3.7, so that it can
report an old Python version.
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
# Each set is a list of (file, additional pip options), installed in order.
RUN = [("requirements/run.txt", []), ("requirements/bare.txt", ["--no-deps"])]
SETS = {"run": RUN, "test": [*RUN, ("requirements/test.txt", [])]}
MIN_PYTHON = (3, 11)
# With these variables, pip would use packages from another location, or install into it.
IGNORED_VARIABLES = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}


def main():
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in SETS:
        sys.exit("usage: bootstrap.py " + "|".join(SETS))
    require_python()
    with lock():
        if stamp(name).exists() and stamp(name).read_text() == key(name):
            return
        make_venv()
        install(name)


def require_python():
    if sys.version_info < MIN_PYTHON:
        found = "{} is {}.{}".format(sys.executable, *sys.version_info[:2])
        sys.exit("Docyard requires Python 3.11 or later; " + found + ". Specify another one: make up PYTHON=python3.12")
    try:
        import ensurepip  # noqa: F401  (in a separate package on Debian)
        import venv  # noqa: F401
    except ImportError:
        sys.exit("This Python lacks venv or ensurepip. On Debian or Ubuntu: apt-get install python3-venv")


@contextlib.contextmanager
def lock():
    """Prevent concurrent installations; the lock is on this source file, so that no lock file remains."""
    with Path(__file__).open() as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def stamp(name):
    return VENV / ("stamp-" + name)


def key(name):
    """Return the checksum of the requirements, the project table of pyproject.toml, and `home`."""
    import tomllib  # new in Python 3.11; require_python has rejected older versions

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    digest = hashlib.sha256((home() + repr(project)).encode())
    for path, _ in SETS[name]:
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()


def home():
    """Return the path and Python version of the environment, which is rebuilt if one of them changes."""
    return "{} {}.{}".format(VENV, *sys.version_info[:2])


def make_venv():
    home_stamp = VENV / "stamp-home"
    if PYTHON.exists() and home_stamp.exists() and home_stamp.read_text() == home():
        return
    # The base interpreter, because `make` may run inside the environment that is replaced.
    base = getattr(sys, "_base_executable", sys.executable)
    call(base, "-m", "venv", "--clear", str(VENV))
    home_stamp.write_text(home())


def install(name):
    print("Installing the {} packages into .venv ...".format(name), flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--no-warn-conflicts", "--disable-pip-version-check"]
    for path, options in SETS[name]:
        call(*pip, "--require-hashes", *options, "-r", str(ROOT / path))
    call(*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    for other, files in SETS.items():
        if all(each in SETS[name] for each in files):  # the test set contains the run set
            stamp(other).write_text(key(other))


def call(*command):
    env = {name: value for name, value in os.environ.items() if name not in IGNORED_VARIABLES}
    done = subprocess.run(command, env=env, check=False)
    if done.returncode != 0:
        sys.exit("The setup failed at: " + " ".join(command))


if __name__ == "__main__":
    main()
