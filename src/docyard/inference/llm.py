"""Client for language models of several providers, with structured answers.

The provider packages take seconds to import, so they are imported at the first request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from docyard.errors import Failure
from docyard.inference.llm_failures import make_failure
from docyard.model.connections import OLLAMA_URL, LlmConnection

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

Answer = TypeVar("Answer")
_MAX_TOKENS = 4_000  # of an answer; answers are far shorter, but some models reason first
_NO_KEY = "none"  # self-hosted servers need no key, but the client libraries require one


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded image as part of a request."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Hello:
    """The structured answer requested by the connection test."""

    answer: str


def check_connection(connection: LlmConnection, seconds: float) -> None:
    """Request a short structured answer from the model; raise a Failure if it does not return one."""
    ask(connection, "Answer with one word.", ["Say hello."], Hello, seconds)


def ask(
    connection: LlmConnection,
    instructions: str,
    parts: Sequence[str | Picture],
    answer_type: type[Answer],
    seconds: float,
) -> Answer:
    """Return the model's answer, validated as this type; raise a Failure with the category of the error."""
    import asyncio

    try:
        return asyncio.run(_request_answer(connection, instructions, parts, answer_type, seconds))
    except Failure:
        raise
    except Exception as error:  # noqa: BLE001 (the exceptions of four client libraries are not documented)
        # Not chained, because the original exception may contain the key.
        raise make_failure(error, connection) from None


async def _request_answer(
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
        BinaryContent(part.data, media_type=part.media_type) if isinstance(part, Picture) else part for part in parts
    ]
    settings = ModelSettings(max_tokens=_MAX_TOKENS, timeout=seconds, max_retries=0)
    # Redirects are not followed, so that a provider cannot forward the key to another server.
    async with asyncio.timeout(seconds), AsyncClient(follow_redirects=False, timeout=seconds) as client:
        model = _make_model(connection, client)
        # No retries here: the queue retries, with backoff and a limit.
        output_type = _output_type(connection, answer_type)
        agent = Agent(model, output_type=output_type, instructions=instructions, retries=0)
        result = await agent.run(content, model_settings=settings)
    answer: Answer = result.output
    return answer


def _output_type(connection: LlmConnection, answer_type: type[Answer]) -> Any:
    """Return how to request the answer type: by JSON schema, or as tool arguments for Anthropic models.

    Not all Anthropic models support JSON schemas.
    """
    from pydantic_ai import NativeOutput, ToolOutput

    return ToolOutput(answer_type) if connection.provider == "anthropic" else NativeOutput(answer_type)


def _make_model(connection: LlmConnection, client: AsyncClient) -> Model:
    match connection.provider:
        case "anthropic":
            return _make_anthropic(connection, client)
        case "google":
            return _make_google(connection, client)
        case "ollama":
            return _make_ollama(connection, client)
        case _:
            return _make_openai(connection, client)


def _make_openai(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(
        # Without a URL, the client would read one from the environment.
        base_url=connection.base_url or "https://api.openai.com/v1",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return OpenAIChatModel(connection.model, provider=provider)


def _make_ollama(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(
        base_url=connection.base_url or OLLAMA_URL, api_key=connection.key or _NO_KEY, http_client=client
    )
    return OllamaModel(connection.model, provider=provider)


def _make_anthropic(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(
        base_url=connection.base_url or "https://api.anthropic.com",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return AnthropicModel(connection.model, provider=provider)


def _make_google(connection: LlmConnection, client: AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        base_url=connection.base_url or "https://generativelanguage.googleapis.com",
        api_key=connection.key or _NO_KEY,
        http_client=client,
    )
    return GoogleModel(connection.model, provider=provider)
