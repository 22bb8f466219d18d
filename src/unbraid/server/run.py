"""Starting the server: options in, a running server out. What it answers is ``app``'s."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..format import Format
from ..options import check
from ..registry import resolve
from .errors import SetupError

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from .engines.base import Engine

_GRACE = 3
"""Seconds that open answers have after Ctrl-C."""


@dataclass(frozen=True)
class Options:
    """What ``unbraid serve`` can be told."""

    host: str = "127.0.0.1"
    port: int = 8000
    """0 takes any free port."""
    format: str | Format = "qwen3"
    model: Path | None = None
    """A GGUF file; ``None``: the small default model."""
    model_name: str | None = None
    """What clients call it; the file's name by default."""
    api_key: str | None = None
    chat_template: Path | None = None
    """A file that replaces the model's own template."""
    threads: int | None = None
    context: int | None = None
    """Tokens for one prompt and its answer."""
    parallel: int = 4
    """Answers written at once."""
    typing: str = "schema"
    """How values are typed where arguments aren't JSON: ``"schema"``, ``"vllm"`` or ``"sglang"``."""
    log_level: str = "warning"


def serve(options: Options, *, started: Callable[[str], None] | None = None) -> None:
    """Load the model and serve until told to stop (Ctrl-C).

    Args:
        options: see :class:`Options`.
        started: called once with the server's address when it answers; prints a few lines by default.

    Raises:
        SetupError: the server can't start as it was asked to. The message says what to change.
        FormatError: there is no such format.
        OptionError: there is no such policy for types.
    """
    resolve(options.format)
    check("typing", options.typing)
    listener = _listener(options)
    try:
        engine = _engine(options)
        open_to_all = options.api_key is None and options.host not in ("127.0.0.1", "localhost", "::1")
        tell = started or (lambda at: print(greeting(at, engine.model.name, open_to_all=open_to_all), flush=True))
        run_app(_app(engine, options), engine, listener, started=tell, log_level=options.log_level)
    finally:
        listener.close()


def run_app(
    app: Starlette,
    engine: Engine,
    listener: socket.socket,
    *,
    started: Callable[[str], None] = lambda address: None,
    log_level: str = "warning",
) -> None:
    """Serve an application on a listening socket until told to stop. Open answers then have a little time to end."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.should_exit:
                started(address(listener))

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            until = time.monotonic() + _GRACE
            while engine.active and time.monotonic() < until and not self.force_exit:
                await asyncio.sleep(0.05)
            await engine.close()
            await super().shutdown(sockets)

    logging.getLogger("unbraid").setLevel(log_level.upper())
    config = uvicorn.Config(
        app,
        log_level=log_level,
        timeout_graceful_shutdown=_GRACE,
        lifespan="on",
        access_log=log_level == "debug",
    )
    Server(config).run(sockets=[listener])


def address(listener: socket.socket) -> str:
    """The URL at which a listening socket is reached."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def greeting(address: str, model: str, *, open_to_all: bool = False) -> str:
    """What a person is told when the server is up: where the page is, and a line to try it."""
    question = {"role": "user", "content": "What is the capital of France?"}
    body = json.dumps({"model": model, "messages": [question], "temperature": 0, "stream": True})
    lines = [
        f"unbraid serves {model} at {address}",
        f"  page   {address}/",
        f"  API    {address}/v1",
        f"  try    curl -N {address}/v1/chat/completions -H 'content-type: application/json' -d '{body}'",
    ]
    if open_to_all:
        lines.append("  Whoever reaches this port can use it. Give --api-key KEY to change that.")
    return "\n".join(lines)


def _listener(options: Options) -> socket.socket:
    """The port, taken before the model is loaded: a port that is in use is known at once."""
    if not 0 <= options.port <= 65535:
        raise SetupError(f"a port is a number from 0 to 65535, not {options.port}")
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((options.host, options.port))
    except OSError as error:
        listener.close()
        raise SetupError(f"can't listen on {options.host} port {options.port}: {error.strerror or error}") from None
    return listener


def _engine(options: Options) -> Engine:
    if find_spec("xllamacpp") is None:
        raise _missing()
    try:
        from .engines.llama import LlamaEngine
    except ImportError:
        raise _missing() from None
    for what in ("threads", "context", "parallel"):
        value = getattr(options, what)
        if value is not None and value < 1:
            raise SetupError(f"{what} must be at least 1, not {value}")
    template = None
    if options.chat_template is not None:
        try:
            template = options.chat_template.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SetupError(f"the chat template {str(options.chat_template)!r} can't be read: {error}") from None
    return LlamaEngine(
        options.model,
        template=template,
        name=options.model_name,
        threads=options.threads,
        context=options.context,
        parallel=options.parallel,
    )


def _app(engine: Engine, options: Options) -> Starlette:
    try:
        from .app import create_app
    except ImportError:
        raise _missing() from None
    return create_app(engine, options.format, api_key=options.api_key, typing=options.typing)


def _missing() -> SetupError:
    return SetupError("the server's packages aren't installed; run pip install \"unbraid[server,llama]\"")
