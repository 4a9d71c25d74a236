"""Tests of `docyard connection` and of the secret that encrypts API keys."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from docyard.cli.options import find_workspace
from docyard.cli.secret import load_seal
from docyard.db import Connection, Database
from docyard.errors import SetupError
from docyard.pipeline.stage_order import ENTRY_STAGE
from docyard.settings import Settings
from docyard.store.key_encryption import DecryptionFailed, KeyCipher
from tests.builders.ai_server import KEY, AiServer, run_ai_server
from tests.cli.conftest import Shell
from tests.pipeline.stage_runs import arrive


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        running.answer = {"answer": "hello"}
        yield running


def test_adds_tests_and_removes_a_connection(shell: Shell, ai: AiServer) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    url = f"http://127.0.0.1:{ai.port}/v1"
    ours = ("connection", "add", "Ours", "--provider", "openai", "--model", "small-1", "--base-url", url)
    output = shell.run(*ours, "--key-file", "-", "--classify", stdin=f"{KEY}\n")
    assert "classifies the documents of Main" in output
    assert "answered correctly" in shell.run("connection", "test", "Ours")
    assert KEY in str(ai.asked[0]["headers"])
    ai.mode = "key"
    output += shell.run("connection", "test", "Ours", code=1) + shell.run("connection", "list", "--json")
    assert "refused the key (HTTP 401" in output
    assert KEY not in output
    shell.run("connection", "remove", "Ours")
    assert "no connection 'Ours'" in shell.run("connection", "test", "Ours", code=2)


def test_at_most_one_connection_classifies(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    shell.run("connection", "add", "Own", "--provider", "ollama", "--model", "small-1")
    assert "yes" not in shell.run("connection", "list")
    shell.run("connection", "classify-with", "Own")
    assert [each["classifies"] for each in shell.json("connection", "list")] == [True]
    shell.run("connection", "classify-with", "--none")
    assert [each["classifies"] for each in shell.json("connection", "list")] == [False]


def test_waiting_jobs_leave_the_previous_connection_when_another_is_chosen(
    external_shell: Shell, database: Database, conn: Connection
) -> None:
    external_shell.run("user", "add", "owner@example.org", "--create")
    arrive(database, find_workspace(conn, "Main"))
    add = ("connection", "add", "--provider", "ollama", "--model", "small-1", "--classify")
    external_shell.run(*add, "First")
    found = []
    for choose in ((*add, "Second"), ("connection", "classify-with", "First")):
        conn.execute("UPDATE jobs SET pool = (SELECT 'llm:' || id FROM connections WHERE classifies)")
        external_shell.run(*choose)
        found += conn.execute("SELECT pool FROM jobs").fetchall()
    assert found == [{"pool": ENTRY_STAGE.name}] * 2


def test_key_file_is_required_without_a_terminal(shell: Shell) -> None:
    ours = ("connection", "add", "Ours", "--provider", "openai", "--model", "small-1")
    assert "--key-file" in shell.run(*ours, code=2, stdin="")


def test_secret_is_generated_once_and_readable_only_by_its_owner(tmp_path: Path) -> None:
    sealed = load_seal(Settings(home=tmp_path)).encrypt(KEY)
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert load_seal(Settings(home=tmp_path)).decrypt(sealed) == KEY
    configured = Settings(home=tmp_path, secret_key="a secret for all hosts")
    assert load_seal(configured).decrypt(sealed) == KEY, (
        "keys encrypted before DOCYARD_SECRET_KEY was set can be decrypted"
    )


def test_secret_is_rotated_by_putting_the_new_one_first(tmp_path: Path) -> None:
    def seal(secrets: str) -> KeyCipher:
        return load_seal(Settings(home=tmp_path, secret_key=secrets))

    old = seal("the-old-secret-of-all").encrypt(KEY)
    both = seal("the-new-secret-of-all, the-old-secret-of-all")
    assert both.decrypt(old) == KEY
    assert seal("the-new-secret-of-all").decrypt(both.encrypt(KEY)) == KEY
    with pytest.raises(DecryptionFailed):
        seal("the-new-secret-of-all").decrypt(old)
    with pytest.raises(SetupError, match="at least 16"):
        seal("short")
    assert not (tmp_path / "secret.key").exists()
