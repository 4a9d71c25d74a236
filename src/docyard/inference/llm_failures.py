"""Mapping of failed LLM requests to failure categories, by exception class and error code."""

from __future__ import annotations

from docyard.errors import Failure, Reject, Retry, Wait
from docyard.model.connections import LlmConnection
from docyard.model.failures import get_category
from docyard.model.timeouts import CLASSIFICATION_WAIT

_MAX_PAUSE = 60.0  # seconds, even if the provider requests more
_DEFAULT_PAUSE = 30.0  # seconds
_MAX_DETAIL = 300  # characters
_FILTER_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_DESCRIPTIONS = {
    "rate_limit": "is receiving too many requests",
    "ai_quota": "has no quota left or is overloaded",
    "timeout": "did not answer in time",
    "network": "cannot be reached or had an internal error",
    "ai_content_blocked": "refused the content of this document",
    "ai_answer": "returned an unusable answer",
    "ai_unauthorized": "refused the key",
    "ai_refused": "refused the request",
}


def make_failure(error: Exception, connection: LlmConnection) -> Failure:
    """Return the failure for an exception; its message names the connection and never contains the key."""
    name = _category_by_class(error) or _category_by_status(error)
    message = f"{connection.name} ({connection.model}) {_DESCRIPTIONS[name]}{_detail(error, connection)}"
    if name == "rate_limit":
        return Wait(name, message, _pause(error), CLASSIFICATION_WAIT)
    return Retry(name, message) if get_category(name).retry else Reject(name, message)


def _category_by_class(error: Exception) -> str | None:
    """Return the category that the class of an exception determines, or None."""
    from pydantic_ai import exceptions as ai

    # Subclasses come before their base classes.
    categories: dict[str, tuple[type[Exception], ...]] = {
        "rate_limit": (ai.ModelRateLimitError,),
        "ai_quota": (ai.ModelQuotaExceededError, ai.ModelOverloadedError),
        "timeout": (ai.ModelTimeoutError, ai.ModelRequestTimeout, TimeoutError),
        "network": (ai.ModelServerError, ai.ModelUnavailableError, ai.ModelConnectionError),
        "ai_content_blocked": (ai.ContentFilterError,),
        "ai_answer": (ai.UnexpectedModelBehavior,),
        "ai_unauthorized": (ai.ModelAuthenticationError,),
    }
    return next((name for name, classes in categories.items() if isinstance(error, classes)), None)


def _category_by_status(error: Exception) -> str:
    from pydantic_ai.exceptions import ModelAPIError, ModelRequestRejectedError

    status = _status(error)
    if _codes(error) & _FILTER_CODES:
        return "ai_content_blocked"
    if isinstance(error, ModelRequestRejectedError) or not isinstance(error, ModelAPIError):
        return "ai_refused"
    if status is None or status < 300:
        return "ai_answer"
    return "network" if status == 408 or status >= 500 else "ai_refused"


def _status(error: Exception) -> int | None:
    """Return the HTTP status; for redirects, only the exception of the underlying client has it."""
    status = getattr(error, "status_code", None) or getattr(error.__cause__, "status_code", None)
    return status if isinstance(status, int) else None


def _pause(error: Exception) -> float:
    requested = getattr(error, "retry_after", None)
    return min(max(_DEFAULT_PAUSE if requested is None else float(requested), 1.0), _MAX_PAUSE)


def _codes(error: Exception) -> set[str]:
    """Return all error codes in the response body, in the formats of all providers."""
    details = _error_details(getattr(error, "body", None))
    nested = details.get("innererror")
    nested_code = nested.get("code") if isinstance(nested, dict) else None
    codes = [details.get("code"), details.get("type"), nested_code]
    return {each.casefold() for each in codes if isinstance(each, str)}


def _error_details(body: object) -> dict[str, object]:
    """Return the error object of a response body, which some providers nest under "error"."""
    details = body.get("error", body) if isinstance(body, dict) else None
    return details if isinstance(details, dict) else {}


def _detail(error: Exception, connection: LlmConnection) -> str:
    """Return the status and the provider's message on one line; a key in the message is removed."""
    status = _status(error)
    message = _error_details(getattr(error, "body", None)).get("message")
    text = message if isinstance(message, str) else "" if status else type(error.__cause__ or error).__name__
    if connection.key:
        text = text.replace(connection.key, "…")
    text = " ".join(text.split())[:_MAX_DETAIL]
    return f" ({', '.join(filter(None, (f'HTTP {status}' if status else '', text)))})."
