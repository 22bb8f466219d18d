"""The HTTP application: which paths there are and what answers them.

What lives here: routes, the key, the mapping of errors to responses. What doesn't: the answer itself (``chat``), the
transport (``http``), starting a server (``run``).

==========================  ==================================================================================
``POST /v1/chat/completions``  OpenAI's chat API, streaming and not
``GET /v1/models``             the one model that is served
``GET /v1/formats``            the formats, with an example each; which one is the server's
``GET /health``                whether the server is up, and how many answers it is writing
``GET /``                      a page to try it and to watch a stream being separated
==========================  ==================================================================================
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import resources
from traceback import format_tb
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..format import Format
from ..options import check
from ..registry import formats, resolve
from ..wire.fields import RequestError
from ..wire.openai_request import read_request
from .chat import Chat
from .engines.base import Engine
from .errors import EngineError
from .http import (
    ClientGone,
    EventStream,
    JSONResponse,
    error_response,
    key_fits,
    log,
    read_json,
    while_connected,
)

PAGE = {
    "index.html": "text/html",
    "page.css": "text/css",
    "page.js": "text/javascript",
    "braid.js": "text/javascript",
    "stream.js": "text/javascript",
    "view.js": "text/javascript",
}
"""The files of the page and what they are."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(
    engine: Engine, format: str | Format, *, api_key: str | None = None, typing: str = "schema"
) -> Starlette:
    """The application in front of an engine.

    Args:
        engine: who writes. It is closed with the application.
        format: the format to read its output in, unless a request names another.
        api_key: the key that clients must send; ``None``: none is needed.
        typing: the policy that types raw values, unless a request names another.

    Raises:
        FormatError: there is no such format.
        OptionError: there is no such policy.
    """
    check("typing", typing)
    default = resolve(format)

    def guarded(endpoint: Endpoint) -> Endpoint:
        async def checked(request: Request) -> Response:
            if api_key is not None and not key_fits(request, api_key):
                return error_response(
                    "The API key is missing or wrong; send it as 'Authorization: Bearer KEY'.",
                    401,
                    code="invalid_api_key",
                    headers={"www-authenticate": "Bearer"},
                )
            try:
                return await endpoint(request)
            except (RequestError, EngineError, ClientGone, HTTPException):
                raise
            except Exception as error:
                # Any other fault is ours. Its message may hold what a client wrote, so only its place is logged.
                log.error("%s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
                return error_response("The server failed.", 500, "server_error", code="internal_error")

        return checked

    async def chat(request: Request) -> Response:
        wanted = read_request(await read_json(request))
        answer = await asyncio.to_thread(Chat, wanted, engine, default, typing)
        if not wanted.stream:
            return JSONResponse(await while_connected(request.receive, answer.whole()))
        chunks = answer.chunks()
        return EventStream(await while_connected(request.receive, anext(chunks)), chunks)

    async def models(request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [_card(engine)]})

    async def model(request: Request) -> Response:
        name = request.path_params["name"]
        if name != engine.model.name:
            return error_response(
                f"The model {name!r} isn't served here; {engine.model.name!r} is.",
                404,
                param="model",
                code="model_not_found",
            )
        return JSONResponse(_card(engine))

    async def listed(request: Request) -> Response:
        return JSONResponse({"default": default.name, "data": [_described(each) for each in formats().values()]})

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok", "active": engine.active})

    async def page(request: Request) -> Response:
        return _page(request.path_params.get("file", "index.html"))

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await engine.close()

    return Starlette(
        routes=[
            Route("/v1/chat/completions", guarded(chat), methods=["POST"]),
            Route("/v1/models", guarded(models)),
            Route("/v1/models/{name:path}", guarded(model)),
            Route("/v1/formats", guarded(listed)),
            Route("/health", health),
            Route("/", page),
            Route("/page/{file}", page),
        ],
        exception_handlers={
            RequestError: _refused,
            EngineError: _engine_failed,
            ClientGone: _client_gone,
            HTTPException: _http_error,
        },
        lifespan=lifespan,
    )


def _card(engine: Engine) -> dict[str, Any]:
    model = engine.model
    card = {"id": model.name, "object": "model", "created": model.created, "owned_by": "unbraid"}
    return card if model.context is None else {**card, "context_length": model.context}


def _described(format: Format) -> dict[str, Any]:
    return {
        "name": format.name,
        "aliases": list(format.aliases),
        "reasoning": format.reasoning is not None,
        "tools": format.tools is not None,
        "source": format.source,
        "example": format.example,
    }


def _page(name: str) -> Response:
    if name not in PAGE:
        raise HTTPException(404)
    body = (resources.files(__package__) / "page" / name).read_bytes()
    headers = {
        "content-security-policy": _POLICY,
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache",
    }
    return Response(body, media_type=PAGE[name], headers=headers)


# ------------------------------------------------------------------------------------------------------- errors


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return error_response(error.message, error.status, param=error.param, code=error.code)


async def _engine_failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, EngineError)
    return error_response(error.message, error.status, error.type, code=error.code)


async def _client_gone(request: Request, error: Exception) -> Response:
    log.info("a client left before its answer was complete")
    return Response(status_code=499)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return error_response(f"There is nothing at {request.url.path}.", 404, code="unknown_url")
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        return error_response(
            f"{request.method} isn't allowed at {request.url.path}; use {allowed}.",
            405,
            code="method_not_allowed",
            headers=dict(error.headers or {}),
        )
    return error_response(str(error.detail), error.status_code)
