"""Servers for tests: an application on a real port in a thread, or ``serve`` in a process of its own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 60.0
"""Seconds to wait for a server before giving up."""


@contextmanager
def running(app: Any) -> Iterator[str]:
    """The application on a free port of this machine; gives its URL."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    wait_for(lambda: server.started or not thread.is_alive())
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


@contextmanager
def serving(**options: Any) -> Iterator[str]:
    """``serve(Options(...))`` in a process of its own, on a free port; gives its URL."""
    program = (
        "from unbraid.server import Options, serve\n"
        f"serve(Options(port=0, **{options!r}), started=lambda address: print(address, flush=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http"), "the server didn't start"
        yield url
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(condition: Any, patience: float = PATIENCE) -> None:
    """Until the condition holds.

    Raises:
        TimeoutError: it never did.
    """
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("waited in vain")
        time.sleep(0.01)
