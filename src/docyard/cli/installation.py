"""Opening an installation: its database, schema, blobs and limits, as the settings say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from docyard.cli.secret import kept_secret
from docyard.db import Database
from docyard.db.connect import WEB_ROLE
from docyard.db.embedded import EmbeddedServer
from docyard.errors import Setup
from docyard.inference.embedding import choose_model
from docyard.model.limits import MEGABYTE, Limits
from docyard.pipeline import pools
from docyard.pipeline.pools import Installed
from docyard.settings import Settings
from docyard.store.blobs import FolderBlobs

_LONGEST_WEB_STATEMENT = "10s"  # a person has given up by then, and one query must not hold up the others


@dataclass(frozen=True, slots=True)
class Installation:
    """One Docyard: the owner's database, its blobs and limits."""

    settings: Settings
    db: Database
    blobs: FolderBlobs
    limits: Limits
    server: EmbeddedServer | None
    installed: Installed | None  # what was changed when it was opened, if it was to be installed

    def address(self) -> str:
        """How to reach the database as its owner."""
        return self.server.conninfo() if self.server else self.settings.database_url


@contextmanager
def opened(
    settings: Settings, *, connections: int = 4, install: bool = False, check: bool = True
) -> Iterator[Installation]:
    """The installation, ready for this build; only with `install` is it made or its schema changed."""
    if not (install or settings.database_url or (settings.home / "postgres").exists()):
        raise Setup(_nothing_there(settings.home))
    choose_model(Path(settings.embedding_model) if settings.embedding_model else None)
    make_home(settings.home)
    server = None if settings.database_url else EmbeddedServer.attach(settings.home)
    address = server.conninfo if server else lambda: settings.database_url
    db = Database(address, size=connections)
    try:
        with _valid_address(), db.connect() as conn:
            installed = pools.install(conn) if install else None
            if check:
                pools.require_installed(conn)
        blobs = FolderBlobs(settings.home / "blobs")
        yield Installation(settings, db, blobs, limits_of(settings), server, installed)
    finally:
        db.close()
        if server is not None:
            server.close()


def limits_of(settings: Settings) -> Limits:
    """The limits that the settings ask for."""
    return Limits(
        upload_bytes=settings.upload_limit_mb * MEGABYTE,
        child_memory_bytes=settings.child_memory_mb * MEGABYTE,
        stage_seconds=float(settings.stage_seconds),
        page_seconds=float(settings.page_seconds),
        ocr_engine=settings.ocr_engine.lower(),
        embedding_model=settings.embedding_model,
    )


def web_database(installation: Installation, connections: int = 10) -> Database:
    """The database as the unprivileged web role."""
    settings = installation.settings
    if settings.web_database_url:
        return Database(
            lambda: settings.web_database_url,
            size=connections,
            name="docyard-web",
            longest_statement=_LONGEST_WEB_STATEMENT,
        )
    if installation.server is None:
        return Database(
            installation.address,
            size=connections,
            switch_to_web_role=True,
            name="docyard-web",
            longest_statement=_LONGEST_WEB_STATEMENT,
        )
    password = _web_password(installation)
    return Database(
        lambda: make_conninfo(installation.address(), user=WEB_ROLE, password=password),
        size=connections,
        name="docyard-web",
        longest_statement=_LONGEST_WEB_STATEMENT,
    )


def public_url(settings: Settings, port: int) -> str:
    """The address to print in links."""
    host = reachable_host(settings.host)
    shown = f"[{host}]" if ":" in host else host
    return settings.public_url.rstrip("/") or f"http://{shown}:{port}"


def allowed_hosts(settings: Settings) -> tuple[str, ...]:
    """The host names a browser may use for us; anything else may be a rebound name."""
    names = {"127.0.0.1", "localhost", "[::1]", settings.host}
    public = urlsplit(settings.public_url).hostname
    return tuple(sorted(names | ({public} if public else set())))


def reachable_host(host: str) -> str:
    """The address at which this machine reaches what listens on `host`."""
    return {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (not bound)


@contextmanager
def _valid_address() -> Iterator[None]:
    try:
        yield
    except psycopg.ProgrammingError as error:
        if error.sqlstate is not None:
            raise
        raise Setup(f"DOCYARD_DATABASE_URL is not an address of PostgreSQL: {error}".strip()) from error


def _nothing_there(home: Path) -> str:
    beside = Path("var").absolute()
    hint = f" Did you mean DOCYARD_HOME={beside}?" if (beside / "postgres").exists() else ""
    return f"There is no Docyard in {home}. Start one with: docyard up{hint}"


def make_home(home: Path) -> None:
    """Make the folder of an installation, if it is not there."""
    # Started by root, PostgreSQL runs as another account: it may pass through, but not look around.
    mode = 0o711 if os.geteuid() == 0 else 0o700
    try:
        if not home.exists():
            home.mkdir(parents=True, mode=mode)
            home.chmod(mode)
    except OSError as error:
        raise Setup(f"The folder {home} cannot be made: {error.strerror}.") from error


def _web_password(installation: Installation) -> str:
    """The web role's password, made once and kept where only this user can read it."""
    password = kept_secret(installation.settings.home / "web.password")
    if not _can_sign_in(installation.address(), password):
        _set_web_password(installation.db, password)
    return password


def _can_sign_in(address: str, password: str) -> bool:
    try:
        psycopg.connect(make_conninfo(address, user=WEB_ROLE, password=password)).close()
    except psycopg.OperationalError:
        return False
    return True


def _set_web_password(db: Database, password: str) -> None:
    with db.transaction() as conn:
        # Two processes that start at once would fail on the one catalog row.
        conn.execute("SELECT pg_advisory_xact_lock(1685285994)")
        hashed = conn.pgconn.encrypt_password(password.encode(), WEB_ROLE.encode(), b"scram-sha-256").decode()
        conn.execute(
            sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(WEB_ROLE), sql.Literal(hashed))
        )
