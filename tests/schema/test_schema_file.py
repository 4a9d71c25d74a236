"""The schema file says what the migrations make."""

from __future__ import annotations

from tools.dump_schema import SCHEMA, dump


def test_the_schema_file_is_what_the_migrations_make(database_address: str) -> None:
    assert SCHEMA.read_text(encoding="utf-8") == dump(database_address), "run `make schema`"
