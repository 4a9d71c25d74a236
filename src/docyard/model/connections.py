"""LLM connections: provider, model, URL and API key."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

from docyard.errors import BadInput
from docyard.model.stage_value import StageValue

PROVIDERS = ("openai", "anthropic", "google", "ollama")
# Default for Ollama; the client libraries of the other providers have their own defaults.
OLLAMA_URL = "http://127.0.0.1:11434/v1"
_MAX_URL_LENGTH = 500
_KEY = re.compile(r"[\x21-\x7e]{0,4000}")  # characters allowed in an HTTP header
_POOL_PREFIX = "llm:"


@dataclass(frozen=True, slots=True)
class LlmConnection(StageValue):
    """An LLM connection with its API key; `repr` omits the key."""

    id: UUID
    name: str
    provider: str
    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class NewConnection:
    """An LLM connection to be added."""

    name: str
    provider: str
    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Raise BadInput if a value is not usable."""
        if self.provider not in PROVIDERS:
            raise BadInput(f"The provider must be one of {', '.join(PROVIDERS)}.")
        for label, text in (("name", self.name), ("model", self.model)):
            if not text.isprintable() or text != text.strip() or not 0 < len(text) <= 200:
                raise BadInput(f"The {label} of a connection must be one line of 1 to 200 characters.")
        if not _KEY.fullmatch(self.key):
            raise BadInput("A key must consist of at most 4000 printable ASCII characters, without spaces.")
        if self.base_url is not None:
            check_url(self.base_url)


def connection_pool_name(connection_id: UUID) -> str:
    """Return the name of the pool for this connection's jobs."""
    return f"{_POOL_PREFIX}{connection_id}"


TEST_JOB_TYPE = "try_connection"  # type of the jobs that test a connection


def test_dedupe_key(connection_id: UUID) -> str:
    """Return the dedupe key that limits a connection to one test job at a time."""
    return f"try:{connection_id}"


def is_connection_pool(pool: str) -> bool:
    """Return whether this is the pool of an LLM connection; its jobs wait for a server most of the time."""
    return pool.startswith(_POOL_PREFIX)


def check_url(url: str) -> None:
    """Raise BadInput unless this can be the URL of an LLM server; private addresses are allowed."""
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port != 0
    except ValueError:
        raise BadInput("The URL of the model is not valid.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid or not url.isprintable():
        raise BadInput("The URL of the model must start with http:// or https:// and contain a host name.")
    if parts.username or parts.password or parts.query or parts.fragment or len(url) > _MAX_URL_LENGTH:
        raise BadInput(
            "The URL of the model must not contain a user name, a password, '?' or '#', "
            f"and must not be longer than {_MAX_URL_LENGTH} characters."
        )
    if _is_link_local(parts.hostname):
        raise BadInput(
            "The URL of the model must not be a link-local address, because cloud providers serve credentials there."
        )


def _is_link_local(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_link_local
