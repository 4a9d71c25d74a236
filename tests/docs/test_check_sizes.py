"""Tests of tools/check_sizes.py: tests that import tests, and folders with many modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_sizes

GOOD = (
    "from tests.builders.pdf.pdfs import make_text_pdf",
    "from tests.cli.conftest import Shell",
    "from tests.builders import images",
    "import tests.builders.images",
    "from docyard.model.connections import TEST_JOB_TYPE",
    'text = "from tests.queue import test_cancel"',
)
BAD = (
    "from tests.queue.jobs.test_cancel import waiting",
    "from tests.queue.jobs import test_cancel",
    "from tests.queue.jobs import families, test_cancel as other",
    "import tests.queue.jobs.test_cancel",
    "from .test_cancel import waiting",
    "from . import test_cancel",
    "def late():\n    from tests.queue.jobs import test_cancel",
)


@pytest.mark.parametrize(("line", "findings"), [*((line, 0) for line in GOOD), *((line, 1) for line in BAD)])
def test_finds_tests_that_import_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, findings: int
) -> None:
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    path = tmp_path / "tests" / "test_it.py"
    path.parent.mkdir()
    path.write_text(line + "\n")
    assert len(list(check_sizes.find_shared_tests([path]))) == findings


@pytest.mark.parametrize(
    ("modules", "reason", "messages"),
    [
        (15, None, []),
        (16, None, ["src/many: 16 modules; split it, or add it to LARGE_FOLDERS (aim 15)"]),
        (16, "One file for each duty.", []),
        (15, "One file for each duty.", ["src/many: 15 modules need no reason in LARGE_FOLDERS (aim 15)"]),
    ],
)
def test_folder_with_many_modules_needs_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: int, reason: str | None, messages: list[str]
) -> None:
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    monkeypatch.setattr(check_sizes, "LARGE_FOLDERS", {"src/many": reason} if reason else {})
    files = [tmp_path / "src" / "many" / f"{number}.py" for number in range(modules)]
    assert list(check_sizes.find_unexplained_folders(files)) == messages


def test_folders_with_a_reason_exist() -> None:
    assert check_sizes.LARGE_FOLDERS
    assert [folder for folder in check_sizes.LARGE_FOLDERS if not (check_sizes.ROOT / folder).is_dir()] == []
