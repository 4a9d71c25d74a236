"""Files from a form or a program, streamed from the network to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from python_multipart.exceptions import FormParserError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from docyard import log
from docyard.errors import BadInput, BrokenOff, Stalled
from docyard.model import timeouts
from docyard.store.people import Identity
from docyard.web.actions.multipart import Outcome, Reception, boundary_of, write
from docyard.web.context import Web
from docyard.web.identity import token_in_headers

_AT_ONCE = 256 * 1024  # bytes gathered before a thread is asked to write them


async def take_in(request: Request, web: Web, identity: Identity, source: str) -> list[Outcome]:
    """Take every file of this request in; what breaks off leaves nothing behind."""
    reception = Reception(web, identity, source, token_in_headers(request))
    try:
        await _feed(request, reception)
    except ClientDisconnect:
        log.event("upload_broken_off", user=identity.user_id, kept=len(reception.outcomes))
        raise BrokenOff from None
    finally:
        reception.abandon()
    if not reception.outcomes:
        raise BadInput("No file was chosen.")
    return reception.outcomes


async def _feed(request: Request, reception: Reception) -> None:
    try:
        parser = reception.parser(boundary_of(request.headers.get("content-type", "")))
    except FormParserError as error:
        raise BadInput("The upload is not well-formed multipart data.") from error
    async for data in _gathered(_in_time(request.stream())):
        await run_in_threadpool(write, parser, data)
    reception.finish()


async def _in_time(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same, given up when nothing comes for too long: what has arrived would be held for ever."""
    pieces = aiter(stream)
    while True:
        try:
            async with asyncio.timeout(timeouts.UPLOAD):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Stalled(f"Nothing more of the upload came for {timeouts.UPLOAD:.0f} seconds.") from None
        yield piece


async def _gathered(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Larger pieces, so that handing them to a thread costs little."""
    gathered = bytearray()
    async for chunk in stream:
        gathered += chunk
        if len(gathered) >= _AT_ONCE:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)
