"""Tests of the operator role: its privileges, and that it ends with the transaction."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege

from docyard.db import Connection, Database, migrate
from docyard.db.connections import OPERATOR_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.pipeline.pools import install
from docyard.queue import monitor
from docyard.store.documents import list_documents
from tests.chaos.installation import wait_for
from tests.conftest import open_folder
from tests.db.access.tenant_rows import TwoTenants

# All column privileges of the operator role; a star means every column.
MAY = {
    "SELECT": {
        **dict.fromkeys(("tiers", "pools", "pool_tiers", "pool_breakers", "workers", "dead_letters"), "*"),
        **dict.fromkeys(("workspaces", "tallies", "tally_totals", "duties", "queue_samples", "clock_steps"), "*"),
        **dict.fromkeys(("retry_budgets", "workspace_limits", "locked_heartbeats"), "*"),
        "documents": "completed_at created_at deleted_at failures id name reason reason_category"
        " running_seconds stage status updated_at workspace_id",
        "jobs": "arrived_at attempts created_at document_id fence id max_attempts pool priority"
        " run_at stage started_at state tier type worker_id workspace_id",
        "job_history": "id",
        "breaker_marks": "pool",
    },
    "INSERT": {"jobs": "*", "job_history": "*", "workspace_limits": "paused workspace_id"},
    "UPDATE": {
        "documents": "completed_at failures reason reason_category running_seconds status updated_at",
        "dead_letters": "replays",
        "pools": "paused",
        "tiers": "paused",
        "workspace_limits": "paused",
        "pool_breakers": "changed_at failures open_until state successes trips",
    },
    "REFERENCES": {},
}
MAY_ON_TABLES: dict[str, set[str]] = {
    "DELETE": {"dead_letters", "workspace_limits", "breaker_marks"},
    "TRUNCATE": set(),
    "TRIGGER": set(),
}


@pytest.mark.parametrize("privilege", MAY)
def test_the_operator_role_has_exactly_these_privileges(tenants: TwoTenants, privilege: str) -> None:
    rows = tenants.fetch_all(
        "SELECT c.relname AS name, string_agg(a.attname, ' ' ORDER BY a.attname) AS columns,"
        " count(*) = (SELECT count(*) FROM pg_attribute b WHERE b.attrelid = c.oid AND b.attnum > 0"
        "   AND NOT b.attisdropped) AS whole"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
        " AND has_column_privilege(%s, c.oid, a.attnum, %s) GROUP BY c.oid, c.relname",
        OPERATOR_ROLE,
        privilege,
    )
    assert {row["name"]: "*" if row["whole"] else row["columns"] for row in rows} == MAY[privilege]


@pytest.mark.parametrize("privilege", MAY_ON_TABLES)
def test_the_operator_role_has_exactly_these_table_privileges(tenants: TwoTenants, privilege: str) -> None:
    rows = tenants.fetch_all(
        "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace"
        " AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege(%s, c.oid, %s)",
        OPERATOR_ROLE,
        privilege,
    )
    assert {row["name"] for row in rows} == MAY_ON_TABLES[privilege]


def test_the_operator_role_has_no_special_attributes_and_owns_nothing(tenants: TwoTenants) -> None:
    (role,) = tenants.fetch_all("SELECT * FROM pg_roles WHERE rolname = %s", OPERATOR_ROLE)
    powers = ("rolsuper", "rolbypassrls", "rolcreaterole", "rolcreatedb", "rolreplication", "rolcanlogin")
    assert not any(role[power] for power in powers)
    assert tenants.fetch_all("SELECT FROM pg_auth_members WHERE member = %s", role["oid"]) == []
    assert tenants.fetch_all("SELECT FROM pg_shdepend WHERE refobjid = %s AND deptype = 'o'", role["oid"]) == []
    may_call = tenants.fetch_all(
        "SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"
        " AND has_function_privilege(%s, oid, 'EXECUTE')",
        OPERATOR_ROLE,
    )
    assert may_call == [{"name": "find_blockers"}], "the only function that runs as the owner for operators"


@pytest.fixture(params=["signed in as the web role", "switched from the owner"])
def web(request: pytest.FixtureRequest, tenants: TwoTenants, database_address: str) -> Iterator[Database]:
    """A pool with one connection, so that a role that is not reset would affect the next transaction."""
    address = database_address
    if "signed in" in request.param:
        with tenants.web.connect() as shown:
            address = f"{shown.info.dsn} password={shown.info.password}"
    made = Database(lambda: address, size=1, switch_to_web_role="switched" in request.param)
    yield made
    made.close()


def visible_workspaces(conn: Connection, table: str = "documents") -> set[object]:
    return {row["workspace_id"] for row in conn.execute(f"SELECT workspace_id FROM {table}".encode())}  # noqa: S608 (constant text)


def test_an_operator_sees_all_workspaces_in_one_transaction_only(tenants: TwoTenants, web: Database) -> None:
    for _ in range(4):  # repeated statements are prepared, and each role needs its own plan
        with web.transaction(operator=True) as conn:
            assert visible_workspaces(conn) == {tenants.mine, tenants.theirs}
            assert visible_workspaces(conn, "dead_letters") == {tenants.mine, tenants.theirs}
        with web.transaction() as conn:
            assert visible_workspaces(conn) == set()
        with web.transaction(tenants.mine) as conn:
            assert visible_workspaces(conn) == {tenants.mine}
            assert len(list_documents(conn, tenants.theirs)) == 0


def test_the_role_ends_with_its_transaction_even_after_an_error(tenants: TwoTenants, web: Database) -> None:
    with pytest.raises(InsufficientPrivilege), web.transaction(operator=True) as conn:
        conn.execute("SELECT title FROM documents")
    with web.transaction() as conn:
        assert visible_workspaces(conn) == set()


@pytest.mark.parametrize("table", ["chunks", "pages", "users", "sessions", "sign_in_links", "stage_results", "blobs"])
def test_operators_cannot_read_document_content_or_users(tenants: TwoTenants, web: Database, table: str) -> None:
    with pytest.raises(InsufficientPrivilege, match="permission denied"), web.transaction(operator=True) as conn:
        conn.execute(f"SELECT FROM {table}".encode())


@pytest.fixture
def new_cluster() -> Iterator[str]:
    """A cluster without the roles of Docyard."""
    with open_folder() as home, EmbeddedServer.attach(home) as server:
        yield server.conninfo()


@contextmanager
def create_databases(address: str, *names: str, owner: str = "postgres") -> Iterator[list[Database]]:
    """Create empty databases with this owner, and close their pools when the context ends."""
    with ExitStack() as stack:
        made = []
        for name in names:
            with psycopg.connect(address, autocommit=True) as admin:
                admin.execute(f"CREATE DATABASE {name} OWNER {owner}".encode())
            made.append(Database(lambda name=name: make_conninfo(address, dbname=name)))  # type: ignore[misc]
            stack.callback(made[-1].close)
        yield made


def test_several_databases_of_one_cluster_can_be_migrated_concurrently(new_cluster: str) -> None:
    """The migrations wait for another transaction that has created a role but has not committed yet."""

    def start(database: Database) -> int:
        with database.connect() as conn:
            return len(migrate(conn).migrations)

    with create_databases(new_cluster, "one", "two", "three") as databases, ThreadPoolExecutor(3) as starters:
        with psycopg.connect(new_cluster) as other:
            other.execute("CREATE ROLE docyard_operator NOLOGIN")
            started = [starters.submit(start, database) for database in databases]
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            with psycopg.connect(new_cluster, autocommit=True) as watcher:
                wait_for(lambda: watcher.execute(waiting).fetchone() == (3,), "all to wait for the role", 60)
        counts = [done.result(timeout=60) for done in started]
    assert len(set(counts)) == 1


def test_an_existing_web_role_does_not_inherit_privileges(new_cluster: str) -> None:
    with psycopg.connect(new_cluster, autocommit=True) as admin:
        admin.execute("CREATE ROLE docyard_web LOGIN INHERIT")
    with create_databases(new_cluster, "one") as (database,), database.connect() as conn:
        migrate(conn)
        has = "SELECT pg_has_role('docyard_web', 'docyard_operator', 'USAGE') AS has"
        assert conn.execute(has).fetchone() == {"has": False}


def test_an_owner_without_superuser_can_switch_to_both_roles(new_cluster: str) -> None:
    with psycopg.connect(new_cluster, autocommit=True) as admin:
        admin.execute("CREATE ROLE landlord LOGIN CREATEROLE PASSWORD 'x'")
    landlord = make_conninfo(new_cluster, user="landlord", password="x")
    with create_databases(new_cluster, "house", owner="landlord"):
        address = make_conninfo(landlord, dbname="house")
        owner, web = Database(lambda: address), Database(lambda: address, switch_to_web_role=True)
        with owner.connect() as conn:
            install(conn)
            conn.execute("INSERT INTO workspaces (name) VALUES ('A')")
        with web.transaction() as conn:
            assert conn.execute("SELECT FROM workspaces").fetchall() == []
        with web.transaction(operator=True) as conn:
            pools = conn.execute("SELECT FROM pools").fetchall()
            assert len(monitor.collect_overview(conn).pools) == len(pools) >= 4
            assert len(conn.execute("SELECT FROM workspaces").fetchall()) == 1
        owner.close()
        web.close()
