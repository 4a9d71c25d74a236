"""An installation as configured by the settings: its database and limits."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard import clock
from docyard.cli.secret import load_or_create_secret
from docyard.db import Database, set_lock_timeout
from docyard.db.connections import WEB_ROLE
from docyard.db.database_errors import may_soon_work, translate_errors
from docyard.db.embedded import EmbeddedServer
from docyard.errors import SetupError, Unavailable
from docyard.inference.embedding import choose_model
from docyard.model.limits import MEGABYTE, Limits
from docyard.pipeline import pools
from docyard.pipeline.pools import InstallResult
from docyard.settings import Settings

_STARTING_SECONDS, _STARTING_PAUSE = 15.0, 0.5
_WAIT_SECONDS = 10.0  # for each answer; less than the time to start, so that a silent connection is replaced once
_WEB_STATEMENT_SECONDS = 10.0  # users have given up by then, and one query must not delay the others


@dataclass(frozen=True, slots=True)
class Installation:
    """An open installation; `db` connects as the owner of the database."""

    settings: Settings
    db: Database
    limits: Limits
    server: EmbeddedServer | None
    installed: InstallResult | None  # changes made to the database; None if opened without `install`

    def conninfo(self) -> str:
        """Return the connection string of the database owner."""
        return self.server.conninfo() if self.server else self.settings.database_url


@contextmanager
def open_installation(
    settings: Settings,
    *,
    connections: int = 4,
    statement_seconds: float = 60.0,
    install: bool = False,
    check: bool = True,
) -> Iterator[Installation]:
    """Open an installation; start its embedded server if needed and, with `check`, check its schema.

    With `install`, the installation is created, or its schema upgraded, first.
    """
    if not (install or settings.database_url or (settings.home / "postgres").exists()):
        raise SetupError(_describe_missing_installation(settings.home))
    choose_model(Path(settings.embedding_model) if settings.embedding_model else None)
    create_home(settings.home)
    server = None if settings.database_url else EmbeddedServer.attach(settings.home)
    address = server.conninfo if server else lambda: settings.database_url
    db = Database(address, size=connections, statement_seconds=statement_seconds)
    try:
        with _check_database_url():
            installed = _prepare(db, install=install, check=check)
        yield Installation(settings, db, make_limits(settings), server, installed)
    finally:
        db.close()
        if server is not None:
            server.close()


def _prepare(db: Database, *, install: bool, check: bool) -> InstallResult | None:
    """Install or check the schema; wait some seconds for a server that is starting or has no free connection."""
    deadline = clock.monotonic() + _STARTING_SECONDS
    while True:
        try:
            with translate_errors(), db.connect() as conn, conn.limit_wait(_WAIT_SECONDS):
                installed = pools.install(conn) if install else None
                if check:
                    pools.require_installed(conn)
                return installed
        except Unavailable as error:
            if not may_soon_work(error) or clock.monotonic() > deadline:
                raise
        threading.Event().wait(_STARTING_PAUSE)


def make_limits(settings: Settings) -> Limits:
    """Return the limits configured in the settings."""
    return Limits(
        upload_bytes=settings.upload_limit_mb * MEGABYTE,
        child_memory_bytes=settings.child_memory_mb * MEGABYTE,
        stage_seconds=float(settings.stage_seconds),
        page_seconds=float(settings.page_seconds),
        ocr_engine=settings.ocr_engine.lower(),
        embedding_model=settings.embedding_model,
    )


def open_web_database(installation: Installation, connections: int = 10) -> Database:
    """Return a connection pool whose connections have the unprivileged web role."""
    settings = installation.settings
    if settings.web_database_url:
        return Database(
            lambda: settings.web_database_url,
            size=connections,
            name="docyard-web",
            statement_seconds=_WEB_STATEMENT_SECONDS,
        )
    if installation.server is None:
        return Database(
            installation.conninfo,
            size=connections,
            switch_to_web_role=True,
            name="docyard-web",
            statement_seconds=_WEB_STATEMENT_SECONDS,
        )
    password = _web_password(installation)
    return Database(
        lambda: make_conninfo(installation.conninfo(), user=WEB_ROLE, password=password),
        size=connections,
        name="docyard-web",
        statement_seconds=_WEB_STATEMENT_SECONDS,
    )


def public_url(settings: Settings, port: int) -> str:
    """Return the base URL for links, without a trailing slash."""
    host = reachable_host(settings.host)
    url_host = f"[{host}]" if ":" in host else host
    return settings.public_url.rstrip("/") or f"http://{url_host}:{port}"


def allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """Return the accepted values of the Host header; another value may indicate DNS rebinding."""
    names = {"127.0.0.1", "localhost", "[::1]", settings.host}
    public = urlsplit(settings.public_url).hostname
    return tuple(sorted(names | ({public} if public else set())))


def reachable_host(host: str) -> str:
    """Return the address at which this machine reaches a server that listens on `host`."""
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (not bound)


@contextmanager
def _check_database_url() -> Iterator[None]:
    try:
        yield
    except psycopg.ProgrammingError as error:
        if error.sqlstate is not None:
            raise
        raise SetupError(
            f"DOCYARD_DATABASE_URL is not a valid PostgreSQL connection string: {error}".strip()
        ) from error


def _describe_missing_installation(home: Path) -> str:
    clone_home = Path("var").absolute()
    hint = f" Did you mean DOCYARD_HOME={clone_home}?" if (clone_home / "postgres").exists() else ""
    return f"There is no Docyard installation in {home}.{hint} Create one with: docyard up"


def create_home(home: Path) -> None:
    """Create the home folder of an installation if it does not exist."""
    # PostgreSQL started by root runs as another user, which must be able to enter this folder.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    try:
        if not home.exists():
            home.mkdir(parents=True, mode=mode)
            home.chmod(mode)
    except OSError as error:
        raise SetupError(
            f"Cannot create the folder {home}: {error.strerror}. Set DOCYARD_HOME to a writable folder."
        ) from error


def _web_password(installation: Installation) -> str:
    """Return the password of the web role; set it in the database if signing in with it fails."""
    password = load_or_create_secret(installation.settings.home / "web.password")
    if not _can_sign_in(installation.conninfo(), password):
        _set_web_password(installation.db, password)
    return password


def _can_sign_in(address: str, password: str) -> bool:
    try:
        psycopg.connect(make_conninfo(address, user=WEB_ROLE, password=password), connect_timeout=10).close()
    except psycopg.OperationalError:
        return False
    return True


def _set_web_password(db: Database, password: str) -> None:
    with db.transaction() as conn:
        # Without the lock, one of two processes that start together would fail to update the catalog. The server
        # ends the transaction of a suspended process after ten seconds.
        set_lock_timeout(conn, 15.0)
        conn.execute("SELECT pg_advisory_xact_lock(1685285994)")
        hashed = conn.pgconn.encrypt_password(password.encode(), WEB_ROLE.encode(), b"scram-sha-256").decode()
        conn.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(WEB_ROLE), sql.Literal(hashed)))
