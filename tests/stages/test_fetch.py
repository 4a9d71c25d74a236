"""The fetch stage accepts only the file that was stored."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from docyard.errors import Reject
from docyard.model.stage_values import Source
from docyard.stages import fetch
from tests.builders.stage_inputs import make_input, make_source


def category(stored: Source) -> str:
    with pytest.raises(Reject) as caught:
        fetch.run(make_input(stored))
    return caught.value.category


def test_returns_size_hash_and_type(tmp_path: Path) -> None:
    content = b"Hello, this is a text.\n"
    found = fetch.run(make_input(make_source(tmp_path, content)))
    expected = hashlib.sha256(content).hexdigest()
    assert (found.media_type, found.size, found.sha256) == ("text/plain", len(content), expected)


def test_accepts_the_correct_hash(tmp_path: Path) -> None:
    stored = replace(make_source(tmp_path, b"abc"), sha256=hashlib.sha256(b"abc").hexdigest())
    assert fetch.run(make_input(stored)).size == 3


def test_a_changed_file_is_corrupt(tmp_path: Path) -> None:
    stored = make_source(tmp_path, b"abc")
    assert category(replace(stored, sha256=hashlib.sha256(b"abd").hexdigest())) == "corrupt"
    assert category(replace(stored, size=4)) == "corrupt"
    assert category(replace(make_source(tmp_path, b""), size=4)) == "corrupt"


def test_an_empty_file_is_reported_as_empty(tmp_path: Path) -> None:
    assert category(make_source(tmp_path, b"")) == "empty"


def test_a_missing_file_is_reported_as_not_found(tmp_path: Path) -> None:
    assert category(Source(tmp_path / "gone", "gone", None, None)) == "not_found"
    assert category(Source(tmp_path, "a folder", None, None)) == "not_found"


def test_does_not_read_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert category(Source(tmp_path / "pipe", "pipe", None, None)) == "not_found"
