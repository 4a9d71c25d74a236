"""Uploads, streamed from the network to disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from python_multipart.exceptions import FormParserError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from docyard import log
from docyard.errors import BadInput, UploadInterrupted, UploadStalled
from docyard.model import timeouts
from docyard.store.users import Identity
from docyard.web.actions.multipart import UploadReceiver, UploadResult, feed_parser, parse_boundary
from docyard.web.context import Web
from docyard.web.identity import read_token_headers

_BATCH_BYTES = 256 * 1024  # collected before a thread writes them


async def receive_files(request: Request, web: Web, identity: Identity, source: str) -> list[UploadResult]:
    """Receive every file of a request and return the results; an incomplete file is discarded."""
    reception = UploadReceiver(web, identity, source, read_token_headers(request))
    try:
        await _feed(request, reception)
    except ClientDisconnect:
        log.event("upload_aborted", user=identity.user_id, kept=len(reception.outcomes))
        raise UploadInterrupted from None
    finally:
        reception.abandon()
    if not reception.outcomes:
        raise BadInput("No file was sent. Choose at least one file.")
    return reception.outcomes


async def _feed(request: Request, reception: UploadReceiver) -> None:
    try:
        parser = reception.parser(parse_boundary(request.headers.get("content-type", "")))
    except FormParserError as error:
        raise BadInput("The upload is not valid multipart data.") from error
    async for data in _batch(_with_timeout(request.stream())):
        await run_in_threadpool(feed_parser, parser, data)
    reception.finish()


async def _with_timeout(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the chunks; raise UploadStalled if none arrives within the upload timeout."""
    chunks = aiter(stream)
    while True:
        try:
            async with asyncio.timeout(timeouts.UPLOAD):
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            message = f"The upload stopped: no data for {timeouts.UPLOAD:.0f} seconds. Please try again."
            raise UploadStalled(message) from None
        yield chunk


async def _batch(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Join chunks into larger ones, so that data is passed to a thread less often."""
    batch = bytearray()
    async for chunk in stream:
        batch += chunk
        if len(batch) >= _BATCH_BYTES:
            yield bytes(batch)
            batch.clear()
    yield bytes(batch)
