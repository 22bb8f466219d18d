"""HTTP around the answers: reading a body, OpenAI's errors, server-sent events, clients that go away.

What lives here: transport, the same for every protocol that the server may speak. What doesn't: routes (``app``) and
what is said (``chat``). Message content is never logged.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..wire.fields import RequestError
from ..wire.openai import error_body

log = logging.getLogger("unbraid.server")

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes. A longer body is refused before it is read."""

T = TypeVar("T")


class ClientGone(Exception):
    """The client closed the connection; nobody waits for an answer."""


def dump(value: Any) -> bytes:
    """Compact JSON in UTF-8. Half a surrogate pair, which models do write, is escaped."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


class JSONResponse(Response):
    """A JSON answer."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body."""
        return dump(content)


def error_response(
    message: str,
    status: int,
    type: str = "invalid_request_error",
    *,
    param: str | None = None,
    code: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """An error in OpenAI's shape."""
    return JSONResponse(error_body(message, type, param=param, code=code), status, headers=headers)


async def read_json(request: Request) -> Any:
    """The body of a request, decoded.

    Raises:
        RequestError: it is too large, or isn't JSON.
        ClientGone: the client went away before the end of it.
    """
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > LARGEST_BODY:
                raise RequestError(
                    f"The body is larger than {LARGEST_BODY} bytes.", code="request_too_large", status=413
                )
    except ClientDisconnect:
        raise ClientGone from None
    try:
        return json.loads(bytes(body))
    except UnicodeDecodeError:
        raise RequestError("The body isn't UTF-8.", code="invalid_json") from None
    except RecursionError:
        raise RequestError("The body's JSON is nested too deeply.", code="invalid_json") from None
    except ValueError as error:
        place = f": {error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise RequestError(f"The body isn't valid JSON{place}.", code="invalid_json") from None


def key_fits(request: Request, key: str) -> bool:
    """Whether the request carries the server's key."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), key.encode())


async def while_connected(receive: Receive, work: Awaitable[T]) -> T:
    """What ``work`` gives; it is cancelled when the client goes away.

    The request's body must have been read.

    Raises:
        ClientGone: the client went away first.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientGone
    finally:
        for each in (task, gone):
            each.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class EventStream(Response):
    """Chunks as server-sent events, ended by ``[DONE]``. Takes care that the stream is closed, whatever happens.

    The first chunk is handed over apart: it was waited for, so that an early failure could still get a status.
    """

    media_type = "text/event-stream"

    def __init__(self, first: dict[str, Any], rest: AsyncGenerator[dict[str, Any], None]) -> None:
        super().__init__(headers={"cache-control": "no-cache", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._first = first
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream, until its end or until nobody listens."""
        async with aclosing(self._rest):
            try:
                await while_connected(receive, self._send(send))
            except (ClientGone, OSError):
                log.info("a client left before its answer was complete")

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

        async def event(data: bytes) -> None:
            await send({"type": "http.response.body", "body": b"data: " + data + b"\n\n", "more_body": True})

        await event(dump(self._first))
        try:
            async for chunk in self._rest:
                await event(dump(chunk))
        except Exception as error:  # the status is sent; a fault can only be told inside the stream
            if isinstance(error, OSError):
                raise
            log.error("an answer broke off: %s", type(error).__name__)
            await event(dump(error_body("The server failed.", "server_error", code="internal_error")))
        await event(b"[DONE]")
        await send({"type": "http.response.body", "body": b"", "more_body": False})
