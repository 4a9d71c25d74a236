"""LLM requests over real HTTP: a structured answer, or a failure of the right category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from docyard.errors import Failure, Reject, Retry, Wait
from docyard.inference.llm import Picture, ask
from docyard.model.connections import PROVIDERS, LlmConnection
from docyard.model.failures import get_category
from docyard.model.timeouts import CLASSIFICATION_WAIT
from tests.builders.ai_server import KEY, AiServer, run_ai_server
from tests.builders.images import draw_lines, encode_image


@dataclass(frozen=True)
class Verdict:
    """A small answer type."""

    type: str
    confidence: float


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        yield running


def ask_and_fail(connection: LlmConnection, seconds: float = 30.0) -> Failure:
    with pytest.raises(Failure) as caught:
        ask(connection, "Classify.", ["The document."], Verdict, seconds)
    return caught.value


@pytest.mark.parametrize("provider", PROVIDERS)
def test_asks_every_provider_in_its_own_format(ai: AiServer, provider: str) -> None:
    answer = ask(ai.connection(provider), "Classify.", ["The document."], Verdict, 30.0)
    assert answer == Verdict("invoice", 0.9)
    (request,) = ai.asked
    text = str(request["body"])
    assert "Classify." in text
    assert "The document." in text
    assert KEY in str(request["headers"])
    assert KEY not in text + request["path"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_sends_an_image_with_the_request(ai: AiServer, provider: str) -> None:
    image = Picture(encode_image(draw_lines(["A receipt"])), "image/png")
    assert ask(ai.connection(provider), "Look.", [image], Verdict, 30.0).type == "invoice"
    assert "iVBORw0KGgo" in str(ai.asked[0]["body"]), "every PNG in base64 starts with this"


CASES = {
    "busy": (Wait, "rate_limit"),
    "quota": (Retry, "ai_quota"),
    "broken": (Retry, "network"),
    "away": (Retry, "network"),
    "garbage": (Retry, "ai_answer"),
    "talk": (Retry, "ai_answer"),
    "schema": (Retry, "ai_answer"),
    "filter": (Reject, "ai_content_blocked"),
    "filtered": (Reject, "ai_content_blocked"),
    "key": (Reject, "ai_unauthorized"),
    "model": (Reject, "ai_refused"),
    "elsewhere": (Reject, "ai_refused"),
}


@pytest.mark.parametrize("mode", CASES)
def test_each_error_has_its_category_and_retry_policy(ai: AiServer, mode: str) -> None:
    ai.mode = mode
    failure = ask_and_fail(ai.connection())
    assert (type(failure), failure.category) == CASES[mode]
    assert not get_category(failure.category).noted
    assert get_category(failure.category).retry == (not isinstance(failure, Reject))
    assert failure.message.startswith("Ours (small-1) ")
    assert KEY not in failure.message
    assert len(ai.asked) == 1, "only the queue retries"


@pytest.mark.parametrize("provider", ["anthropic", "google"])
@pytest.mark.parametrize("mode", ["busy", "broken", "garbage", "talk", "schema", "filter", "key"])
def test_errors_of_other_providers_have_the_same_categories(ai: AiServer, provider: str, mode: str) -> None:
    ai.mode = mode
    failure = ask_and_fail(ai.connection(provider))
    assert (type(failure), failure.category) == CASES[mode]
    assert len(ai.asked) == 1


def test_a_silent_server_times_out(ai: AiServer) -> None:
    ai.mode = "silent"
    failure = ask_and_fail(ai.connection(), 0.5)
    assert (type(failure), failure.category) == (Retry, "timeout")


def test_an_unreachable_server_is_a_network_failure(ai: AiServer) -> None:
    unreachable = ai.connection(base_url="http://127.0.0.1:9/v1")
    assert ask_and_fail(unreachable).category == "network"


@pytest.mark.parametrize(("retry_after", "seconds"), [("7", 7.0), ("86400", 60.0), ("0", 1.0), ("soon", 30.0)])
def test_waits_as_long_as_a_busy_provider_requests_up_to_a_limit(
    ai: AiServer, retry_after: str, seconds: float
) -> None:
    ai.mode, ai.headers = "busy", {"Retry-After": retry_after}
    failure = ask_and_fail(ai.connection())
    assert isinstance(failure, Wait)
    assert (failure.seconds, failure.longest) == (seconds, CLASSIFICATION_WAIT)


def test_does_not_follow_redirects(ai: AiServer) -> None:
    with run_ai_server() as other:
        ai.mode, ai.headers = "elsewhere", {"Location": f"http://127.0.0.1:{other.port}/v1"}
        ask_and_fail(ai.connection())
        assert other.asked == []


def test_message_does_not_repeat_a_key_that_is_invalid_in_a_header(ai: AiServer) -> None:
    failure = ask_and_fail(ai.connection(key="geheim\nschlüssel"))
    assert "geheim" not in failure.message
    assert ai.asked == []


def test_connection_does_not_show_its_key() -> None:
    connection = AiServer().connection()
    assert KEY not in repr(connection) + str(connection)
