"""Tests of the privileges of the web role."""

from __future__ import annotations

import pytest
from psycopg.errors import InsufficientPrivilege

from docyard.db.connections import OPERATOR_ROLE, WEB_ROLE
from docyard.store.embeddings import has_vector_tables
from tests.db.access.tenant_rows import TwoTenants

FACTS = ("field_values", "entities", "mentions", "entity_merges", "relations")
# All table privileges of the web role. Every new grant must be added here as well.
MAY = {
    "SELECT": {
        *("attachments", "blobs", "chunks", "dead_letters", "documents", "job_history", "jobs", "memberships", "pages"),
        *("pools", "renditions", "schema_migrations", "schema_objects", "stage_results", "tiers"),
        "workspaces",
        *("source_documents", "document_processing_queue", "queue_health_status", "stuck_documents"),
        *("extraction_jobs", "chunk_embeddings", "embedded_documents", "embedding_models"),
        *("tags", "tag_embeddings", "folders"),
        *FACTS,
        *("extracted_attachments", "document_types"),
    },
    "INSERT": {
        *("blobs", "documents", "job_history", "jobs", "renditions", "dead_letters"),
        *("source_documents", "extraction_jobs", "entity_merges", "document_types", "folders", "tallies"),
    },
    "UPDATE": {"extraction_jobs", "documents", "jobs", "source_documents", "document_processing_queue"},
    "DELETE": {"dead_letters", "jobs", "stage_results", "document_types", "folders", *FACTS},
    "TRUNCATE": set(),
    "REFERENCES": set(),
    "TRIGGER": set(),
}
MAY_CALL = {
    "count_jobs_and_letters",
    "find_resettable_documents",
    "has_attempt",
    "is_resettable",
    "is_retried",
    *("current_workspace", "new_job_id", "marking_query", "enqueue_arrived_documents"),
    *("language_config", "scoped_terms", "title_terms", "is_wanted", "unbroken", "search_text"),
    *("query_lexemes", "known_words", "text_size", "rank_chunks", "nearest_chunks", "telling_words"),
    *("shown_name", "family_name", "is_better_name", "documents_with_facts", "find_entities"),
    *("redeem_sign_in_link", "sign_in_link_is_good", "session_identity"),
    *("session_workspaces", "switch_session", "end_session"),
    *("entry_stage", "job_word", "failures_in_words", "lock_document", "note_reset"),
    *("add_connection", "remove_connection"),
    *("tag_name", "tag_key", "tag_keys", "scoped_tags", "all_tags", "tagged_documents", "count_tagged", "nearest_tags"),
    *("end_document", "is_read", "revive_document", "requeue_document", "set_queue_status", "extraction_pool"),
    "find_stuck_documents",
    *("reset_document", "hold_document", "first_job", "queue_state", "plain_word"),
    *("is_fetchable", "is_parked", "is_held", "parked_until", "explain_parking", "add_message", "keep_message"),
    *("remove_parking", "is_read_outside", "cut_message", "find_own_reason"),
}


@pytest.mark.parametrize("privilege", MAY)
def test_the_web_role_has_exactly_these_privileges(tenants: TwoTenants, privilege: str) -> None:
    tables = tenants.fetch_all(
        "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace"
        " AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(%s, c.oid, %s)",
        WEB_ROLE,
        privilege,
    )
    with tenants.owner.transaction() as conn:
        absent = set() if has_vector_tables(conn) else {"chunk_embeddings", "tag_embeddings"}
    assert {row["name"] for row in tables} == MAY[privilege] - absent


@pytest.mark.parametrize("table", ["users", "sessions", "sign_in_links", "workers", "lanes", "pool_tiers"])
def test_the_web_role_cannot_read_other_tables(tenants: TwoTenants, table: str) -> None:
    with pytest.raises(InsufficientPrivilege, match="permission denied"), tenants.open_transaction() as conn:
        conn.execute(f"SELECT FROM {table}".encode())


@pytest.mark.parametrize(
    "call", ["claim_jobs('fetch', gen_random_uuid(), 1)", "sweep_lanes('fetch')"], ids=["claim", "sweep"]
)
def test_the_web_role_cannot_claim_jobs(tenants: TwoTenants, call: str) -> None:
    with (
        pytest.raises(InsufficientPrivilege, match="permission denied for function"),
        tenants.open_transaction() as conn,
    ):
        conn.execute(f"SELECT {call}".encode())


def test_the_web_role_may_call_exactly_these_functions(tenants: TwoTenants) -> None:
    rows = tenants.fetch_all(
        "SELECT proname AS name FROM pg_proc p WHERE pronamespace = 'public'::regnamespace"
        " AND has_function_privilege(%s, oid, 'EXECUTE')"
        # Functions of extensions are excluded, because they only compute a result from their arguments.
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')",
        WEB_ROLE,
    )
    assert {row["name"] for row in rows} == MAY_CALL


def test_functions_that_run_as_their_owner_have_a_fixed_search_path(tenants: TwoTenants) -> None:
    rows = tenants.fetch_all(
        "SELECT proname AS name, proconfig AS settings FROM pg_proc"
        " WHERE prosecdef AND pronamespace = 'public'::regnamespace"
    )
    assert {row["name"] for row in rows} >= {"rank_chunks", "nearest_chunks", "session_identity"}
    for row in rows:
        # If pg_temp were not at the end of the path, temporary tables would be found first.
        assert "search_path=pg_catalog, public, pg_temp" in (row["settings"] or []), row["name"]


def test_a_temporary_table_cannot_shadow_a_real_one(tenants: TwoTenants) -> None:
    with tenants.open_transaction() as conn:
        conn.execute("CREATE TEMPORARY TABLE sessions AS SELECT sha256('x') AS token_hash")
        assert conn.execute("SELECT session_identity(sha256('x'))").fetchall() == []


def test_every_view_uses_the_privileges_of_its_caller(tenants: TwoTenants) -> None:
    views = tenants.fetch_all(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND ("
        " relkind = 'm' OR relkind = 'v' AND NOT 'security_invoker=true' = ANY (coalesce(reloptions, '{}')))"
    )
    assert views == []


def test_the_web_role_has_no_special_attributes(tenants: TwoTenants) -> None:
    (role,) = tenants.fetch_all("SELECT * FROM pg_roles WHERE rolname = %s", WEB_ROLE)
    powers = ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb", "rolreplication", "rolinherit")
    assert not any(role[power] for power in powers)
    granted = tenants.fetch_all(
        "SELECT roleid::regrole::text AS name FROM pg_auth_members WHERE member = %s", role["oid"]
    )
    assert {row["name"] for row in granted} == {OPERATOR_ROLE}, "it must switch to that role explicitly"
    assert tenants.fetch_all("SELECT pg_has_role(%s, %s, 'USAGE') AS has", WEB_ROLE, OPERATOR_ROLE) == [{"has": False}]


def test_the_web_role_owns_nothing(tenants: TwoTenants) -> None:
    (role,) = tenants.fetch_all("SELECT oid FROM pg_roles WHERE rolname = %s", WEB_ROLE)
    owned = tenants.fetch_all("SELECT FROM pg_shdepend WHERE refobjid = %s AND deptype = 'o'", role["oid"])
    assert owned == []


@pytest.mark.parametrize("statement", ["CREATE TABLE public.mine ()", "CREATE SCHEMA mine"])
def test_the_web_role_can_create_nothing(tenants: TwoTenants, statement: str) -> None:
    with pytest.raises(InsufficientPrivilege), tenants.open_transaction() as conn:
        conn.execute(statement.encode())
