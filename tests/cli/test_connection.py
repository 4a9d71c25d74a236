"""`docyard connection`: a model is added, tried, chosen and removed, and its key is never shown."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from docyard.cli.options import workspace_named
from docyard.cli.secret import seal_of
from docyard.db import Connection, Database
from docyard.errors import Setup
from docyard.pipeline.road import ENTRY
from docyard.settings import Settings
from docyard.store.sealing import CannotOpen, Seal
from tests.cli.conftest import Shell
from tests.making.ai_server import KEY, AiServer, ai_server
from tests.pipeline.travelling import arrive


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with ai_server() as running:
        running.answer = {"answer": "hello"}
        yield running


def test_a_connection_is_added_tried_and_removed(shell: Shell, ai: AiServer) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    url = f"http://127.0.0.1:{ai.port}/v1"
    ours = ("connection", "add", "Ours", "--provider", "openai", "--model", "small-1", "--base-url", url)
    said = shell.run(*ours, "--key-file", "-", "--classify", given=f"{KEY}\n")
    assert "classifies the documents of Main" in said
    assert "answers as it should" in shell.run("connection", "test", "Ours")
    assert KEY in str(ai.asked[0]["headers"])
    ai.mode = "key"
    said += shell.run("connection", "test", "Ours", code=1) + shell.run("connection", "list", "--json")
    assert "refused the key (HTTP 401" in said
    assert KEY not in said
    shell.run("connection", "remove", "Ours")
    assert "no connection 'Ours'" in shell.run("connection", "test", "Ours", code=2)


def test_one_connection_classifies_or_none(shell: Shell) -> None:
    shell.run("user", "add", "owner@example.org", "--create")
    shell.run("connection", "add", "Own", "--provider", "ollama", "--model", "small-1")
    assert "yes" not in shell.run("connection", "list")
    shell.run("connection", "classify-with", "Own")
    assert [each["classifies"] for each in shell.json("connection", "list")] == [True]
    shell.run("connection", "classify-with", "--none")
    assert [each["classifies"] for each in shell.json("connection", "list")] == [False]


def test_what_waits_for_one_connection_leaves_it_when_another_is_chosen(
    stray_shell: Shell, database: Database, conn: Connection
) -> None:
    stray_shell.run("user", "add", "owner@example.org", "--create")
    arrive(database, workspace_named(conn, "Main"))
    add = ("connection", "add", "--provider", "ollama", "--model", "small-1", "--classify")
    stray_shell.run(*add, "First")
    found = []
    for choose in ((*add, "Second"), ("connection", "classify-with", "First")):
        conn.execute("UPDATE jobs SET pool = (SELECT 'llm:' || id FROM connections WHERE classifies)")
        stray_shell.run(*choose)
        found += conn.execute("SELECT pool FROM jobs").fetchall()
    assert found == [{"pool": ENTRY.name}] * 2


def test_a_key_that_nobody_can_be_asked_for_must_come_from_a_file(shell: Shell) -> None:
    ours = ("connection", "add", "Ours", "--provider", "openai", "--model", "small-1")
    assert "--key-file" in shell.run(*ours, code=2, given="")


def test_the_secret_is_made_once_for_its_user_alone(tmp_path: Path) -> None:
    sealed = seal_of(Settings(home=tmp_path)).close(KEY)
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    assert seal_of(Settings(home=tmp_path)).open(sealed) == KEY
    given = Settings(home=tmp_path, secret_key="a secret for all hosts")
    assert seal_of(given).open(sealed) == KEY, "what was sealed before a secret was given still opens"


def test_a_secret_is_replaced_by_putting_the_new_one_first(tmp_path: Path) -> None:
    def seal(secrets: str) -> Seal:
        return seal_of(Settings(home=tmp_path, secret_key=secrets))

    old = seal("the-old-secret-of-all").close(KEY)
    both = seal("the-new-secret-of-all, the-old-secret-of-all")
    assert both.open(old) == KEY
    assert seal("the-new-secret-of-all").open(both.close(KEY)) == KEY
    with pytest.raises(CannotOpen):
        seal("the-new-secret-of-all").open(old)
    with pytest.raises(Setup, match="at least 16"):
        seal("short")
    assert not (tmp_path / "secret.key").exists()
