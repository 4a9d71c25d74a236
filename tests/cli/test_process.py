"""Tests of `docyard process` on folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.builders.pdf.pdfs import PdfPage, PlacedLine, make_pdf, make_text_pdf
from tests.cli.conftest import Shell


def bare_shell(tmp_path: Path) -> Shell:
    """Return a shell without a database."""
    return Shell(tmp_path / "home", {"DOCYARD_SLOTS": "1"})


def fill(folder: Path) -> Path:
    (folder / "north").mkdir(parents=True)
    (folder / "south").mkdir()
    (folder / "north" / "log.txt").write_text("The northern log.")
    (folder / "south" / "log.txt").write_text("The southern log.")
    (folder / "south" / "log.pdf").write_bytes(
        make_pdf(
            [
                PdfPage(
                    [],
                    placed_lines=[
                        PlacedLine(72, 90, "Of winches", 24),
                        PlacedLine(72, 140, "They turn the whole day long."),
                    ],
                )
            ]
        )
    )
    (folder / "broken.pdf").write_bytes(make_text_pdf(["x"])[:90])
    return folder


def test_writes_one_result_file_per_input_file(tmp_path: Path) -> None:
    folder, out = fill(tmp_path / "in"), tmp_path / "out"
    output = bare_shell(tmp_path).run("process", str(folder), "--output", str(out), code=1)
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {
        "broken.pdf.md",
        "north/log.txt.md",
        "south/log.txt.md",
        "south/log.pdf.md",
    }
    assert (out / "south" / "log.txt.md").read_text() == "The southern log.\n"
    assert (out / "south" / "log.pdf.md").read_text() == "# Of winches\n\nThey turn the whole day long.\n"
    assert "failed: The PDF is damaged" in (out / "broken.pdf.md").read_text()
    assert "4 of 4, " in output
    assert "broken.pdf: failed: The PDF is damaged" in output


def test_unwritable_result_does_not_affect_other_files(tmp_path: Path) -> None:
    folder, out = fill(tmp_path / "in"), tmp_path / "out"
    (folder / f"{'long ' * 50}.txt").write_text("Its name is as long as names may be.")
    (folder / "blank.html").write_text("<html><body></body></html>")
    os.mkfifo(folder / "pipe")
    out.mkdir()
    (out / "north").write_text("There is a file where a folder should be.")
    output = bare_shell(tmp_path).run("process", str(folder), "--output", str(out), code=1)
    assert "log.txt: failed: The result could not be written: " in output
    assert "blank.html: incomplete: No text was found in it." in output
    assert "No text was found" in (out / "blank.html.md").read_text()
    assert {path.read_text() for path in out.glob("long*")} == {"Its name is as long as names may be.\n"}
    assert (out / "south" / "log.txt.md").exists()
    assert not [path for path in out.rglob("*") if path.name.startswith(".")]


def test_folders_with_the_same_file_names_get_separate_results(tmp_path: Path) -> None:
    one, other, out = fill(tmp_path / "one"), fill(tmp_path / "two" / "one"), tmp_path / "out"
    bare_shell(tmp_path).run(
        "process", str(one), str(other), str(one / "broken.pdf"), "--format", "json", "--output", str(out), code=1
    )
    results = list(out.rglob("*.json"))
    assert len(results) == 9
    assert len({json.loads(path.read_text())["file"] for path in results}) == 8
    assert json.loads((out / "one" / "north" / "log.txt.json").read_text())["pages"][0]["text"] == "The northern log."


def test_does_not_read_results_of_an_earlier_run(tmp_path: Path) -> None:
    folder = fill(tmp_path / "in")
    for _ in range(2):
        bare_shell(tmp_path).run("process", str(folder), "--output", str(folder / "results"), code=1)
    assert len([path for path in (folder / "results").rglob("*") if path.is_file()]) == 4
    output = bare_shell(tmp_path).run("process", str(folder), "--output", str(folder), code=2)
    assert "cannot be written to a folder that is being read" in output


def test_prints_markdown(tmp_path: Path) -> None:
    folder = fill(tmp_path / "in")
    printed = bare_shell(tmp_path).run("process", str(folder / "south"), "--format", "markdown")
    assert "# Of winches\n\nThey turn the whole day long.\n" in printed
    assert "The southern log." in printed


def test_interrupt_stops_children_and_keeps_finished_results(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text("Done before.")
    (folder / "b.pdf").write_bytes(make_text_pdf(*[["many words on every page"] * 40] * 9000))
    with _run_in_background("process", str(folder), "--output", str(out), home=tmp_path / "home") as running:
        assert running.stderr is not None
        assert "a.txt: done" in running.stderr.readline()
        children = psutil.Process(running.pid).children(recursive=True)
        running.send_signal(signal.SIGINT)
        _, output = running.communicate(timeout=60)
    assert running.returncode != 0
    assert "Traceback" not in output
    assert [path.name for path in out.iterdir()] == ["a.txt.md"]
    assert psutil.wait_procs(children, timeout=30)[1] == []


@contextmanager
def _run_in_background(*arguments: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a command that does not ignore SIGINT; kill it when the context ends."""
    running = subprocess.Popen(
        [sys.executable, "-m", "docyard", *arguments],
        env={**os.environ, "DOCYARD_HOME": str(home), "DOCYARD_SLOTS": "1"},
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with SIGINT ignored, and this command would inherit that.
        preexec_fn=_enable_sigint,  # noqa: PLW1509 (it only makes a system call)
    )
    with running:
        try:
            yield running
        finally:
            running.kill()


def _enable_sigint() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
