"""Questions to a language model over real HTTP: an answer of its shape, or a failure that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from docyard.errors import Failure, Reject, Retry, Wait
from docyard.inference.llm import Picture, ask
from docyard.model.connections import PROVIDERS, LlmConnection
from docyard.model.failures import Ending, category
from docyard.model.timeouts import CLASSIFICATION_WAIT
from tests.making.ai_server import KEY, AiServer, ai_server
from tests.making.pictures import drawn, stored


@dataclass(frozen=True)
class Said:
    """A small shape."""

    type: str
    confidence: float


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with ai_server() as running:
        yield running


def refused(connection: LlmConnection, seconds: float = 30.0) -> Failure:
    with pytest.raises(Failure) as caught:
        ask(connection, "Classify.", ["The document."], Said, seconds)
    return caught.value


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_is_asked_in_its_own_way(ai: AiServer, provider: str) -> None:
    answer = ask(ai.connection(provider), "Classify.", ["The document."], Said, 30.0)
    assert answer == Said("invoice", 0.9)
    (asked,) = ai.asked
    text = str(asked["body"])
    assert "Classify." in text
    assert "The document." in text
    assert KEY in str(asked["headers"])
    assert KEY not in text + asked["path"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_picture_travels_with_the_question(ai: AiServer, provider: str) -> None:
    shown = Picture(stored(drawn(["A receipt"])), "image/png")
    assert ask(ai.connection(provider), "Look.", [shown], Said, 30.0).type == "invoice"
    assert "iVBORw0KGgo" in str(ai.asked[0]["body"]), "the beginning of every PNG"


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
def test_each_trouble_has_its_category_and_its_retry(ai: AiServer, mode: str) -> None:
    ai.mode = mode
    failure = refused(ai.connection())
    assert (type(failure), failure.category) == CASES[mode]
    assert category(failure.category).ending is Ending.DEGRADED
    assert category(failure.category).retry == (not isinstance(failure, Reject))
    assert failure.message.startswith("Ours (small-1) ")
    assert KEY not in failure.message
    assert len(ai.asked) == 1, "trying again is the queue's business"


@pytest.mark.parametrize("provider", ["anthropic", "google"])
@pytest.mark.parametrize("mode", ["busy", "broken", "garbage", "talk", "schema", "filter", "key"])
def test_other_dialects_of_trouble_mean_the_same(ai: AiServer, provider: str, mode: str) -> None:
    ai.mode = mode
    failure = refused(ai.connection(provider))
    assert (type(failure), failure.category) == CASES[mode]
    assert len(ai.asked) == 1


def test_silence_ends_with_the_time(ai: AiServer) -> None:
    ai.mode = "silent"
    failure = refused(ai.connection(), 0.5)
    assert (type(failure), failure.category) == (Retry, "timeout")


def test_a_server_that_is_not_there_is_a_matter_of_the_network(ai: AiServer) -> None:
    nowhere = ai.connection(base_url="http://127.0.0.1:9/v1")
    assert refused(nowhere).category == "network"


@pytest.mark.parametrize(("asked", "waits"), [("7", 7.0), ("86400", 60.0), ("0", 1.0), ("soon", 30.0)])
def test_a_busy_provider_is_given_the_time_it_asks_for_within_reason(
    ai: AiServer, asked: str, waits: float
) -> None:
    ai.mode, ai.headers = "busy", {"Retry-After": asked}
    failure = refused(ai.connection())
    assert isinstance(failure, Wait)
    assert (failure.seconds, failure.longest) == (waits, CLASSIFICATION_WAIT)


def test_a_redirection_is_not_followed(ai: AiServer) -> None:
    with ai_server() as other:
        ai.mode, ai.headers = "elsewhere", {"Location": f"http://127.0.0.1:{other.port}/v1"}
        refused(ai.connection())
        assert other.asked == []


def test_a_key_that_fits_no_header_is_not_repeated(ai: AiServer) -> None:
    failure = refused(ai.connection(key="geheim\nschlüssel"))
    assert "geheim" not in failure.message
    assert ai.asked == []


def test_nothing_shows_the_key() -> None:
    connection = AiServer().connection()
    assert KEY not in repr(connection) + str(connection)
