"""LLM connections: a model at a provider, how it is reached, and the key it is asked with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit
from uuid import UUID

from docyard.errors import BadInput
from docyard.model.stage_value import StageValue

PROVIDERS = ("openai", "anthropic", "google", "ollama")
# Ollama runs where its owner started it; the others' programs know their own addresses.
OLLAMA_URL = "http://127.0.0.1:11434/v1"
_LONGEST = 500
_KEY = re.compile(r"[\x21-\x7e]{0,4000}")  # what fits into a header
_POOL = "llm:"


@dataclass(frozen=True, slots=True)
class LlmConnection(StageValue):
    """A model to ask; the key is in no representation of it."""

    id: UUID
    name: str
    provider: str
    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class NewConnection:
    """A connection as a person describes it."""

    name: str
    provider: str
    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Refuse in words what could not work."""
        if self.provider not in PROVIDERS:
            raise BadInput(f"The provider must be one of {', '.join(PROVIDERS)}.")
        for what, text in (("name", self.name), ("model", self.model)):
            if not text.isprintable() or text != text.strip() or not 0 < len(text) <= 200:
                raise BadInput(f"The {what} of a connection has 1 to 200 characters and stands in one line.")
        if not _KEY.fullmatch(self.key):
            raise BadInput("A key has letters, digits and signs of ASCII alone, and no spaces.")
        if self.base_url is not None:
            check_url(self.base_url)


def pool_of(connection_id: UUID) -> str:
    """The pool in which jobs for this connection wait."""
    return f"{_POOL}{connection_id}"


TRY = "try_connection"  # the type of jobs that ask a model something at a person's wish


def try_key(connection_id: UUID) -> str:
    """One try at a time; a second click waits for the first."""
    return f"try:{connection_id}"


def is_connection_pool(pool: str) -> bool:
    """Whether the jobs of this pool wait for a model rather than compute."""
    return pool.startswith(_POOL)


def check_url(url: str) -> None:
    """Refuse an address that is none of a model; a private one is its administrator's own choice."""
    try:
        parts = urlsplit(url)
        port_fits = parts.port != 0
    except ValueError:
        raise BadInput("This is not an address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_fits or not url.isprintable():
        raise BadInput("The address of a model begins with http:// or https:// and names a host.")
    if parts.username or parts.password or parts.query or parts.fragment or len(url) > _LONGEST:
        raise BadInput("The address of a model has no password, no question mark and no hash sign.")
    if _is_link_local(parts.hostname):
        raise BadInput("No model lives at a link-local address, but a cloud's secrets may.")


def _is_link_local(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_link_local
