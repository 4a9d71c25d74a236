"""A fake LLM server that implements the APIs of three providers over HTTP; tests choose its behaviour."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

from docyard.model.connections import LlmConnection

KEY = "sk-test-0123456789abcdef"
VALID_ANSWER: dict[str, object] = {
    "type": "invoice",
    "title": "Invoice 4711 of Harbour Supplies",
    "summary": "Harbour Supplies asks for payment of ropes.",
    "date": "2026-03-14",
    "language": "en",
    "tags": ["ropes", "harbour"],
    "confidence": 0.9,
}


class AiServer:
    """The state of the server: how it responds, and the requests it received."""

    def __init__(self) -> None:
        self.mode = "good"
        self.answer: object = VALID_ANSWER
        self.headers: dict[str, str] = {}
        self.asked: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.port = 0

    def connection(self, provider: str = "openai", **more: Any) -> LlmConnection:
        """Return a connection to this server."""
        suffix = "/v1" if provider in ("openai", "ollama") else ""
        url = f"http://127.0.0.1:{self.port}{suffix}"
        fields = {"name": "Ours", "model": "small-1", "base_url": url, "key": KEY, **more}
        return LlmConnection(uuid4(), provider=provider, **fields)

    def reply(self, path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return the status and body of the response to a request."""
        if self.mode in _ERRORS:
            status, error = _ERRORS[self.mode]
            return status, json.dumps({"error": {**error, "message": f"{error['message']} ({KEY})"}}).encode()
        if self.mode == "garbage":
            return 200, b"<html>nope"
        text = {"talk": "I would rather talk.", "schema": json.dumps({"foo": 1})}.get(
            self.mode, json.dumps(self.answer)
        )
        return 200, json.dumps(_choose_api(path)(body, text, filtered=self.mode == "filter")).encode()


_ERRORS: dict[str, tuple[int, dict[str, str]]] = {
    "busy": (429, {"message": "Slow down.", "type": "rate_limit", "code": "rate_limit_exceeded"}),
    "quota": (429, {"message": "Pay.", "type": "insufficient_quota", "code": "insufficient_quota"}),
    "broken": (500, {"message": "Something broke."}),
    "away": (503, {"message": "Not now."}),
    "filtered": (400, {"message": "Our policy forbids that.", "code": "content_filter"}),
    "key": (401, {"message": "Wrong key", "code": "invalid_api_key"}),
    "model": (404, {"message": "No such model.", "code": "model_not_found"}),
    "elsewhere": (307, {"message": "Go there."}),
}


def _choose_api(path: str) -> Any:
    if path.endswith("/messages"):
        return _anthropic
    return _google if ":generateContent" in path else _openai


def _openai(body: Mapping[str, Any], text: str, *, filtered: bool) -> dict[str, object]:
    message = {"role": "assistant", "content": None if filtered else text}
    finish = "content_filter" if filtered else "stop"
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _anthropic(body: Mapping[str, Any], text: str, *, filtered: bool) -> dict[str, object]:
    tool = body["tools"][0]["name"]
    try:
        content = [{"type": "tool_use", "id": "t1", "name": tool, "input": json.loads(text)}]
    except ValueError:
        content = [{"type": "text", "text": text}]
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [] if filtered else content,
        "stop_reason": "refusal" if filtered else "tool_use",
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def _google(body: Mapping[str, Any], text: str, *, filtered: bool) -> dict[str, object]:
    del body
    content = {"role": "model", "parts": [] if filtered else [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": "SAFETY" if filtered else "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "x",
    }


@contextmanager
def run_ai_server() -> Iterator[AiServer]:
    """Run the server until the block ends."""
    state = AiServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.asked.append({"path": self.path, "headers": dict(self.headers), "body": body})
            if state.mode == "silent":
                state.over.wait(60)
                return
            status, data = state.reply(self.path, body)
            self.send_response(status)
            more = {"Content-Type": "application/json", "Content-Length": str(len(data)), **state.headers}
            for name, value in more.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (defined by the base class)
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield state
    finally:
        state.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
