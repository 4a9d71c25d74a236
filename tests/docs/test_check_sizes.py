"""What `make check` says of tests that import tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import check_sizes

GOOD = (
    "from tests.making.pdf.pdfs import text_pdf",
    "from tests.cli.conftest import Shell",
    "from tests.making import pictures",
    "import tests.making.pictures",
    "from docyard.model.connections import TRY",
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


@pytest.mark.parametrize(("line", "fails"), [*((line, 0) for line in GOOD), *((line, 1) for line in BAD)])
def test_a_test_that_imports_a_test_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, fails: int
) -> None:
    monkeypatch.setattr(check_sizes, "ROOT", tmp_path)
    path = tmp_path / "tests" / "test_it.py"
    path.parent.mkdir()
    path.write_text(line + "\n")
    assert len(list(check_sizes.shared_tests([path]))) == fails
