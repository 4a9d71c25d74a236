"""A recorder of state changes in a database, and the legal transitions according to the documentation."""

from __future__ import annotations

import re
from pathlib import Path

from docyard.db import Connection

Transition = tuple[str, str]
_PAGE = Path(__file__).parents[3] / "docs" / "reference" / "document-states.md"
_WATCH = """
CREATE TABLE changes (act text DEFAULT txid_current()::text, id uuid, left_state text, state text);
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    dead text := CASE TG_TABLE_NAME WHEN 'dead_letters' THEN 'dead' END;
    old_state text := coalesce(dead, to_jsonb(OLD) ->> TG_ARGV[0]);
    new_state text := coalesce(dead, to_jsonb(NEW) ->> TG_ARGV[0]);
BEGIN
    IF TG_OP = 'INSERT' OR TG_OP = 'DELETE' OR old_state <> new_state THEN
        INSERT INTO changes (id, left_state, state) VALUES (
            coalesce(NEW.id, OLD.id), CASE WHEN TG_OP <> 'INSERT' THEN old_state END,
            CASE WHEN TG_OP <> 'DELETE' THEN new_state END);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON jobs
    FOR EACH ROW EXECUTE FUNCTION note_change('state');
CREATE TRIGGER watched AFTER INSERT ON job_history FOR EACH ROW EXECUTE FUNCTION note_change('outcome');
CREATE TRIGGER watched AFTER INSERT OR DELETE ON dead_letters FOR EACH ROW EXECUTE FUNCTION note_change('');
CREATE TRIGGER watched AFTER UPDATE ON documents FOR EACH ROW EXECUTE FUNCTION note_change('status')
"""


def install_recorder(conn: Connection) -> None:
    """Install triggers that record every change of state."""
    conn.execute(_WATCH.encode())


def read_legal_transitions(what: str) -> set[Transition]:
    """Return the documented transitions of jobs or documents."""
    found = re.findall(rf"^\| {what} \| (\w+) \| (\w+) \| .+ \|$", _PAGE.read_text(), re.MULTILINE)
    assert found
    return set(found)


def list_job_transitions(conn: Connection) -> set[Transition]:
    """Return the recorded transitions of jobs; moving between tables in one transaction is one transition."""
    rows = conn.execute(
        "SELECT max(left_state) FILTER (WHERE state IS NULL) AS gone,"
        " max(state) FILTER (WHERE left_state IS NULL) AS come"
        " FROM changes c WHERE NOT EXISTS (SELECT FROM documents d WHERE d.id = c.id)"
        " AND (left_state IS NULL OR state IS NULL) GROUP BY act, id"
    ).fetchall()
    moves = conn.execute(
        "SELECT DISTINCT left_state, state FROM changes c WHERE left_state IS NOT NULL AND state IS NOT NULL"
        " AND NOT EXISTS (SELECT FROM documents d WHERE d.id = c.id)"
    ).fetchall()
    ends = {(row["gone"] or "new", row["come"] or "discarded") for row in rows}
    return ends | {(row["left_state"], row["state"]) for row in moves}


def list_document_transitions(conn: Connection) -> set[Transition]:
    """Return the recorded transitions of documents."""
    rows = conn.execute(
        "SELECT DISTINCT left_state, state FROM changes c JOIN documents d ON d.id = c.id"
        " WHERE left_state IS NOT NULL AND state IS NOT NULL"
    )
    return {(row["left_state"], row["state"]) for row in rows}
