"""Asking a language model for an answer of a given shape, whoever provides it.

The packages behind this take seconds to import, so that happens when the first question is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from docyard.errors import Failure
from docyard.inference.llm_failures import failure_of
from docyard.model.connections import OLLAMA_URL, LlmConnection

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

Answer = TypeVar("Answer")
_MOST_TOKENS = 4_000  # of an answer; it is far shorter, but some models think first
_NO_KEY = "none"  # servers of one's own ask for none, but their programs insist on one


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture to be looked at."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Hello:
    """What a model is asked for when it is tried."""

    answer: str


def greet(connection: LlmConnection, seconds: float) -> None:
    """Ask a model something, to see whether it answers in the form we need; a Failure when it does not."""
    ask(connection, "Answer with one word.", ["Say hello."], Hello, seconds)


def ask(
    connection: LlmConnection,
    instructions: str,
    parts: Sequence[str | Picture],
    answer_type: type[Answer],
    seconds: float,
) -> Answer:
    """The model's answer, checked to be of that type; a Failure that says what to do when there is none."""
    import asyncio

    try:
        return asyncio.run(_answer(connection, instructions, parts, answer_type, seconds))
    except Failure:
        raise
    except Exception as error:  # noqa: BLE001 (four clients tell of trouble in ways that nobody lists)
        # Not chained: what was caught may hold the key.
        raise failure_of(error, connection) from None


async def _answer(
    connection: LlmConnection,
    instructions: str,
    parts: Sequence[str | Picture],
    answer_type: type[Answer],
    seconds: float,
) -> Answer:
    import asyncio

    from httpx2 import AsyncClient
    from pydantic_ai import Agent, BinaryContent
    from pydantic_ai.settings import ModelSettings

    content = [
        BinaryContent(part.data, media_type=part.media_type) if isinstance(part, Picture) else part
        for part in parts
    ]
    settings = ModelSettings(max_tokens=_MOST_TOKENS, timeout=seconds, max_retries=0)
    # Whoever the key was given to may not hand it on by pointing elsewhere.
    async with asyncio.timeout(seconds), AsyncClient(follow_redirects=False, timeout=seconds) as client:
        model = _model(connection, client)
        # Trying again is the queue's business: it waits meanwhile and counts.
        agent = Agent(
            model, output_type=_shaped(connection, answer_type), instructions=instructions, retries=0
        )
        result = await agent.run(content, model_settings=settings)
    answer: Answer = result.output
    return answer


def _shaped(connection: LlmConnection, answer_type: type[Answer]) -> Any:
    """How to ask for the shape: by its schema, or as a tool's arguments where not every model takes one."""
    from pydantic_ai import NativeOutput, ToolOutput

    return ToolOutput(answer_type) if connection.provider == "anthropic" else NativeOutput(answer_type)


def _model(connection: LlmConnection, client: AsyncClient) -> Model:
    match connection.provider:
        case "anthropic":
            return _anthropic(connection, client)
        case "google":
            return _google(connection, client)
        case "ollama":
            return _ollama(connection, client)
        case _:
            return _openai(connection, client)


def _openai(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(
        # Without an address the client would take one from the environment.
        base_url=connection.base_url or "https://api.openai.com/v1",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return OpenAIChatModel(connection.model, provider=provider)


def _ollama(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(
        base_url=connection.base_url or OLLAMA_URL, api_key=connection.key or _NO_KEY, http_client=client
    )
    return OllamaModel(connection.model, provider=provider)


def _anthropic(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(
        base_url=connection.base_url or "https://api.anthropic.com",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return AnthropicModel(connection.model, provider=provider)


def _google(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        base_url=connection.base_url or "https://generativelanguage.googleapis.com",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return GoogleModel(connection.model, provider=provider)
