"""Missing pgvector: documents complete, search is lexical, and vectors are computed once it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard.db import Database
from tests.absence.machines import documents, embedded_names, make_machine, sign_in_editor
from tests.conftest import Server

HIDE_EXTENSIONS = "ALTER DATABASE {} SET extension_control_path = '/nowhere'"


@pytest.fixture
def bare_conninfo(server: Server) -> Iterator[str]:
    """The connection string of an empty database that cannot use the server's extensions."""
    name = f"poor_{uuid4().hex[:12]}"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        conn.execute(sql.SQL(HIDE_EXTENSIONS).format(sql.Identifier(name)))
        address = make_conninfo(server.conninfo(), dbname=name)
        with psycopg.connect(address) as connection, pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("CREATE EXTENSION vector")
        yield address
        conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def bare_database(bare_conninfo: str) -> Iterator[Database]:
    """The database without extensions."""
    database = Database(lambda: bare_conninfo, size=2)
    yield database
    database.close()


def test_without_pgvector_search_is_lexical_until_it_is_installed(
    tmp_path: Path, bare_conninfo: str, bare_database: Database
) -> None:
    machine = make_machine(tmp_path, bare_conninfo)
    machine.run("migrate")
    (tmp_path / "note.txt").write_text("A note about the winch of the harbour crane, which was greased.")
    machine.run("add", str(tmp_path / "note.txt"), "--tag", "harbour")
    machine.work(bare_database)
    note = documents(bare_database)["note.txt"]
    assert (note["status"], note["reason"], embedded_names(bare_database)) == ("completed", None, set())
    assert "vector is not available, so semantic search is off." in (doctor := machine.run("doctor"))
    assert "Semantic search is off, so search matches words only. The database has no pgvector" in doctor
    assert "then run: docyard migrate" in doctor
    with machine.serve() as site, sign_in_editor(site, bare_database, note["workspace_id"]) as editor:
        page = editor.get("/search?q=winch").text
        assert "Semantic search is off: the database has no pgvector extension." in page
        assert "1 document for" in page
        assert editor.get(f"/documents/{note['id']}").is_success
        tags = editor.get("/api/v1/tags?q=har").json()
        assert (tags["by"], tags["tags"][0]["name"]) == ("name", "harbour")
        assert "the database has no pgvector" in tags["note"]
    with psycopg.connect(bare_conninfo, autocommit=True) as conn:
        conn.execute(sql.SQL("ALTER DATABASE {} RESET extension_control_path").format(sql.Identifier(conn.info.dbname)))
        conn.execute("DELETE FROM duties WHERE duty = 'embeddings'")
    machine.run("migrate")
    machine.work(bare_database, lambda: embedded_names(bare_database) == {"note.txt"})
    assert "1 documents are embedded" in machine.run("doctor")
    assert "meaning" in machine.run("tag", "list", "port", "--json")
