"""What a failed question to a language model means: by the class and codes of the error, not by its words."""

from __future__ import annotations

from docyard.errors import Failure, Reject, Retry, Wait
from docyard.model.connections import LlmConnection
from docyard.model.failures import category
from docyard.model.timeouts import CLASSIFICATION_WAIT

_LONGEST_PAUSE = 60.0  # whatever the provider asks for
_USUAL_PAUSE = 30.0
_LONGEST_DETAIL = 300
_FILTERED = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_WORDS = {
    "rate_limit": "gets too many requests",
    "ai_quota": "has no quota left or is overloaded",
    "timeout": "gave no answer in time",
    "network": "cannot be reached, or failed by itself",
    "ai_content_blocked": "refused the content of this document",
    "ai_answer": "gave an answer that cannot be used",
    "ai_unauthorized": "refused the key",
    "ai_refused": "refused the request",
}


def failure_of(error: Exception, connection: LlmConnection) -> Failure:
    """The failure to settle; it names the connection and never its key."""
    kind = _kind(error) or _kind_by_status(error)
    message = f"{connection.name} ({connection.model}) {_WORDS[kind]}{_detail(error, connection)}"
    if kind == "rate_limit":
        return Wait(kind, message, _pause(error), CLASSIFICATION_WAIT)
    return Retry(kind, message) if category(kind).retry else Reject(kind, message)


def _kind(error: Exception) -> str | None:
    """The category of an error whose class says it all; the more special classes come first."""
    from pydantic_ai import exceptions as ai

    kinds: dict[str, tuple[type[Exception], ...]] = {
        "rate_limit": (ai.ModelRateLimitError,),
        "ai_quota": (ai.ModelQuotaExceededError, ai.ModelOverloadedError),
        "timeout": (ai.ModelTimeoutError, ai.ModelRequestTimeout, TimeoutError),
        "network": (ai.ModelServerError, ai.ModelUnavailableError, ai.ModelConnectionError),
        "ai_content_blocked": (ai.ContentFilterError,),
        "ai_answer": (ai.UnexpectedModelBehavior,),
        "ai_unauthorized": (ai.ModelAuthenticationError,),
    }
    return next((kind for kind, classes in kinds.items() if isinstance(error, classes)), None)


def _kind_by_status(error: Exception) -> str:
    from pydantic_ai.exceptions import ModelAPIError, ModelRequestRejectedError

    status = _status(error)
    if _codes(error) & _FILTERED:
        return "ai_content_blocked"
    if isinstance(error, ModelRequestRejectedError) or not isinstance(error, ModelAPIError):
        return "ai_refused"
    if status is None or status < 300:
        return "ai_answer"
    return "network" if status == 408 or status >= 500 else "ai_refused"


def _status(error: Exception) -> int | None:
    """The status of the answer; of a redirection only the client beneath knows it."""
    found = getattr(error, "status_code", None) or getattr(error.__cause__, "status_code", None)
    return found if isinstance(found, int) else None


def _pause(error: Exception) -> float:
    asked = getattr(error, "retry_after", None)
    return min(max(_USUAL_PAUSE if asked is None else float(asked), 1.0), _LONGEST_PAUSE)


def _codes(error: Exception) -> set[str]:
    """Every code that the provider gave, wherever its dialect puts it."""
    inner = _inner(getattr(error, "body", None))
    nested = inner.get("innererror")
    found = [inner.get("code"), inner.get("type"), nested.get("code") if isinstance(nested, dict) else None]
    return {each.casefold() for each in found if isinstance(each, str)}


def _inner(body: object) -> dict[str, object]:
    """What a body says of the error, which some put under a name of its own."""
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _detail(error: Exception, connection: LlmConnection) -> str:
    """What the provider said, on one line and without the key, which some repeat."""
    status = _status(error)
    said = _inner(getattr(error, "body", None)).get("message")
    words = said if isinstance(said, str) else "" if status else type(error.__cause__ or error).__name__
    if connection.key:
        words = words.replace(connection.key, "…")
    shown = " ".join(words.split())[:_LONGEST_DETAIL]
    return f" ({', '.join(filter(None, (f'HTTP {status}' if status else '', shown)))})."
