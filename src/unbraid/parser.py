"""The parser: deltas in, events out. Its surface, its options, and the fast path that most deltas take.

How a delta travels: where nothing is held and the text sets off no ``trigger`` of the state, it leaves as it came
(:meth:`Parser.feed`, the fast path). Where it needs a look but can't cross a marker, it is streamed (``_stream``).
Otherwise the ``executor`` reads it (``_read``), and what it said is released into the stream and the message
(``_release``).

There is one machine for streams and whole texts; no I/O, no clock, no logging.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from json.encoder import encode_basestring
from os import urandom
from typing import TYPE_CHECKING, Any, Literal, cast

from .arguments.scan import STRING_STOP, JsonScanner
from .builder import Cut, MessageBuilder
from .calls import Calls
from .events import Content, Event, Finish, FinishReason, Note, Reasoning, Span, SpanKind, ToolCallArguments
from .executor import Executor
from .format import Format, canonical
from .literals import MARK
from .machine import compile
from .message import Message
from .options import CallOptions, OptionError, check
from .output import Output, Unsaid
from .registry import resolve
from .start import tail
from .table import Variant

if TYPE_CHECKING:
    from .tokens.strand import Strand

Waiting = Literal["", "marker", "name", "decision", "call", "value"]
"""For what held text waits: a marker to complete, a call's name, the end of reasoning, a call or a value to end."""

_new = tuple.__new__
_NEVER = re.compile("").search
"""A trigger that everything sets off: no fast path."""
_STRING_TRIGGER = STRING_STOP.search
_NO_EDGES: frozenset[str] = frozenset()


class Parser:
    """Separates one output while it streams.

    Args:
        format: a name, an alias, or a :class:`Format`.
        tools: the tools of the request (OpenAI's shape, bare functions or Anthropic's). ``None``: not known, calls
            are recognised and values untyped. ``[]``: none were offered, so call markup is text.
        thinking: whether the request asked for reasoning; ``None`` leaves it to the format.
        prompt: the rendered prompt or its tail, as text or as ids. Where it says in which part the output starts, it is
            believed.
        tokenizer: what the ids are ids of, for a parser that is fed with ids: a ``tokenizers.Tokenizer``, a tokenizer
            of transformers or mistral-common, a ``tiktoken.Encoding``, or anything with ``decode`` and ``get_vocab``.
            Make an ``unbraid.Vocabulary`` of it once if you make many parsers of a tokenizer that can't be hashed.
        spelled_markers: what special tokens in markers are where ordinary tokens spell them: ``"text"``, so that
            echoed text can't forge a call, or ``"marker"``; ``None`` leaves it to the format.
        tool_choice: the request's; only ``"none"`` matters here.
        calls_in_reasoning: what a call marker means while reasoning is open: ``"decide"``, ``"end"``, ``"text"`` or
            ``"inside"`` (a call, after which reasoning goes on); ``None`` leaves it to the format.
        cut_calls: what becomes of a call that the output's end cut off: ``"apart"`` (in ``incomplete_calls``),
            ``"keep"``, ``"drop"`` or ``"text"``.
        stream_calls: ``"progressive"``, or ``"whole"`` to emit a call only when it is complete.
        repair: whether a call whose arguments are complete counts at a normal stop without its closing marker.
        promote_reasoning: move reasoning to content when there is no content and no call at the end; ``None`` leaves
            it to the format.
        undeclared: a call of a tool that wasn't offered: ``"call"`` or ``"text"``.
        forbidden_calls: a call although ``tool_choice`` is ``"none"``: ``"text"`` or ``"drop"``.
        fenced_calls: a call inside a Markdown code fence: ``"call"`` or ``"text"``.
        typing: how the values of formats that don't write JSON are typed: ``"schema"`` (``docs/typing.md``), or as
            ``"vllm"`` or ``"sglang"`` does.
        build_message: whether to add events up to :attr:`message`; without it a parser holds next to nothing.
        new_call_id: makes ids for calls that have none on the wire.

    Raises:
        FormatError: there is no such format.
        OptionError: an option can't have that value.
    """

    __slots__ = (
        "_builder",
        "_clean",
        "_edges",
        "_fast",
        "_finished",
        "_first",
        "_format",
        "_index",
        "_kind",
        "_passing",
        "_promote",
        "_prompted",
        "_quiet",
        "_run",
        "_span_kind",
        "_strand",
        "_streaming",
        "_trigger",
        "_write",
    )

    # The fast path, set up by ``_arm`` for each state that is reached.
    _trigger: Callable[[str], object]
    """Whether a text needs a look; everything sets it off where there is no fast path."""
    _first: str
    """A character without which nothing sets it off; empty where there is no such one."""
    _edges: frozenset[str]
    """Last characters that need a look."""
    _write: Callable[[str], int]
    """Where the message takes the text."""
    _kind: type[Content] | type[Reasoning]
    _index: int | None
    """The open call, where the text is its arguments."""
    _span_kind: SpanKind
    _streaming: bool
    """Whether text may go out through ``_stream``."""
    _passing: JsonScanner | None
    """What walks the arguments, where they are JSON that passes through."""

    def __init__(
        self,
        format: str | Format,
        *,
        tools: Iterable[Any] | None = None,
        thinking: bool | None = None,
        prompt: str | Sequence[int] | None = None,
        tokenizer: Any = None,
        spelled_markers: str | None = None,
        tool_choice: Any = None,
        calls_in_reasoning: str | None = None,
        cut_calls: str = "apart",
        stream_calls: str = "progressive",
        repair: bool = True,
        promote_reasoning: bool | None = None,
        undeclared: str = "call",
        forbidden_calls: str = "text",
        fenced_calls: str = "call",
        typing: str = "schema",
        build_message: bool = True,
        new_call_id: Callable[[], str] | None = None,
    ) -> None:
        self._format = format = resolve(format)
        reasoning = format.reasoning
        if calls_in_reasoning is None:
            calls_in_reasoning = reasoning.calls if reasoning else "end"
        check("calls_in_reasoning", calls_in_reasoning)
        check("cut_calls", cut_calls)
        check("stream_calls", stream_calls)
        check("undeclared", undeclared)
        check("forbidden_calls", forbidden_calls)
        check("fenced_calls", fenced_calls)
        check("typing", typing)
        if spelled_markers is None:
            spelled_markers = "marker" if format.spelled else "text"
        check("spelled_markers", spelled_markers)
        tools = None if tools is None else list(tools)
        forbidden = tool_choice == "none"
        drop = forbidden and forbidden_calls == "drop"
        calls = (tools is None or bool(tools)) and (drop or not forbidden)
        self._strand: Strand | None = None
        """The ids and texts that come, where there are ids."""
        self._clean: Callable[[Event], Event] | None = None
        """What takes the marks of special tokens off, where they are marked."""
        read = format
        if tokenizer is not None:
            from .tokens.strand import Strand
            from .tokens.vocabulary import Vocabulary

            marking = Vocabulary.of(tokenizer).marking(format, spelled=spelled_markers == "marker")
            self._strand, read = Strand(marking), marking.format
            if marking.marks:
                self._clean = self._strand.clean
            prompt = None if prompt is None else marking.prompt(prompt)
        elif prompt is not None and not isinstance(prompt, str):
            raise OptionError("the prompt is given as ids, which mean nothing without a tokenizer; give one, or text")
        ends = self._strand is not None and reasoning is not None and calls_in_reasoning == "end"
        variant = Variant(calls, calls and calls_in_reasoning != "text", fenced_calls == "call", calls and ends)
        machine = compile(read, variant)
        if promote_reasoning is None:
            policy = reasoning.promote if reasoning else "never"
            promote_reasoning = policy == "always" or (policy == "off" and thinking is False)
        keep = build_message or promote_reasoning
        self._builder = MessageBuilder(cast(Cut, cut_calls)) if keep else None
        self._promote = promote_reasoning
        self._finished = False
        self._fast = 0
        """How many characters took the fast path since the executor last read."""
        whole = stream_calls == "whole" or cut_calls == "text"
        self._quiet = whole or drop
        """Whether a call's events don't leave as they come."""
        output = Output(keep)
        call_options = CallOptions(cut_calls, whole, repair, undeclared, drop, typing)
        self._run = Executor(
            machine,
            Calls(tools, call_options, new_call_id or _random_id, output),
            output,
            decide=calls_in_reasoning == "decide",
            inside=calls_in_reasoning == "inside",
            cut_to_text=cut_calls == "text",
            repair=repair,
        )
        self._begin(prompt, thinking)
        self._arm()

    # -- the public half -----------------------------------------------------------------------------------------

    def feed(
        self, text: str | None = None, ids: Sequence[int] | None = None, logprobs: Sequence[float] | None = None
    ) -> list[Event]:
        """Take the next piece of the output; returns what it says, in order.

        Text and ids needn't be of the same piece: text may come later than its ids, or not at all. Special tokens are
        real where the ids say so; what is said ends where the text does.

        Args:
            text: the text that came. Without it the ids speak for themselves, as long as there was no text at all.
            ids: the token ids that came. They need a parser with a tokenizer.
            logprobs: the log-probability of each id, if it is to come back in the message.

        Raises:
            OptionError: ids were given and there is no tokenizer.
            RuntimeError: the output was already finished.
        """
        strand = self._strand
        if strand is not None:
            if ids and strand.plain and logprobs is None and (said := strand.passes(text, ids)):
                text = said
            else:
                return self._feed_strand(strand, text, ids or (), logprobs)
        elif ids is not None:
            raise OptionError("ids were fed, which mean nothing without a tokenizer; make the Parser with one")
        if text and (self._first not in text or self._trigger(text) is None) and text[-1] not in self._edges:
            self._fast += self._write(text)
            if self._index is None:
                return [_new(self._kind, (text,))]
            return [_new(ToolCallArguments, (self._index, text))]
        return self._stream(text) if self._streaming and text else self._read(text or "")

    def finish(self, reason: FinishReason = "stop") -> list[Event]:
        """The output is over; returns what was still held and a :class:`Finish`, and repeats nothing.

        Args:
            reason: ``"stop"``, ``"length"`` (cut off), ``"stop_string"`` or ``"error"``.

        Raises:
            OptionError: there is no such reason.
            RuntimeError: the output was already finished.
        """
        check("finish", reason)
        self._check_open()
        self._catch_up()
        run = self._run
        if self._strand is not None:
            rest = self._strand.finish(reason)
            if rest:
                run.feed(rest)
        run.finish(reason)
        if self._promote and not run.calls.count:
            self._promote_reasoning()
        self._finished = True
        run.output.say(Finish(reason, tuple(run.output.notes)))
        return self._release()

    def fork(self) -> Parser:
        """An independent parser in the same state: for beams, several candidates, drafts that may be rolled back.

        It costs the same after a million tokens as after ten: what was said is shared. Only what is open is copied:
        the depth of the open arguments, and the names that were given in them.
        """
        self._catch_up()
        new = Parser.__new__(Parser)
        for name in ("_finished", "_format", "_promote", "_prompted", "_quiet"):
            setattr(new, name, getattr(self, name))
        new._fast = 0
        new._run = self._run.fork()
        new._builder = self._builder and self._builder.fork()
        new._strand = self._strand and self._strand.fork()
        new._clean = new._strand.clean if self._clean and new._strand else None
        # The texts that the fast paths wrote to have become the past of both.
        self._arm()
        new._arm()
        return new

    def expect_reasoning(self) -> None:
        """Where the format has reasoning, nothing is known of whether it is to come, whatever ``thinking`` says. Before
        anything is fed."""
        if self._run.may_reason:
            self._run.over_at = None

    @property
    def message(self) -> Message:
        """What the events so far add up to.

        Raises:
            RuntimeError: the parser was told not to build it.
        """
        if self._builder is None:
            raise RuntimeError("this parser was made with build_message=False, so it has no message")
        self._catch_up()
        said, settled = self._run.settled
        spans, notes = said.tiles(settled), tuple(said.notes)
        if self._strand is None:
            return self._builder.message(spans, notes)
        return self._with_tokens(self._strand, self._builder, spans, notes)

    @property
    def format(self) -> Format:
        """The format that is read."""
        return self._format

    @property
    def bound(self) -> int:
        """The most characters that can be held while a marker may still complete."""
        return self._run.bound

    @property
    def state(self) -> str:
        """The name of the machine's state."""
        return self._run.state.name

    @property
    def held(self) -> str:
        """Text that has arrived and of which nothing has been said yet. :attr:`waiting` says what it waits for."""
        if self._strand is None:
            return self._run.unsaid
        return self._run.unsaid.replace(MARK, "") + self._strand.held

    @property
    def prompted(self) -> bool:
        """Whether the prompt said in which part the output starts, with a marker or with words of the answer."""
        return self._prompted

    @property
    def reasoning_over(self) -> bool:
        """Whether reasoning is over, or none is to come. Where a request asks for reasoning that the model begins, that
        is known with its first word."""
        return self._run.over is not None

    @property
    def reasoning_end(self) -> int | None:
        """The first token after reasoning and the marker that closed it, where ids were fed; ``None`` while more of it
        may come. Where a call ended it, that is the call's first token."""
        over = self._run.over
        return None if self._strand is None or over is None else self._strand.first_token(over)

    @property
    def reasoning_final(self) -> bool:
        """Whether reasoning is over and nothing can open it again, so that who asks only for that need not feed on."""
        run = self._run
        return run.trial is None and run.over_at is not None and run.opening is None and not run.may_reason

    @property
    def waiting(self) -> Waiting:
        """What held text waits for; ``""`` when nothing is held.

        ``marker`` is bounded by :attr:`bound`. The declared waits aren't: ``decision`` (a call in open reasoning),
        ``name`` (a call whose arguments come before its name), ``call`` (``stream_calls="whole"``) and ``value`` (a
        value that can be typed only when it is over, or white space that may be its last).
        """
        run = self._run
        if run.trial is not None:
            return "decision"
        call = run.calls.open
        if call is None:
            held = run.held or (self._strand is not None and self._strand.held)
            return "name" if run.opening is not None else "marker" if held else ""
        if self._quiet:
            return "call"
        if call.params is not None and call.params.waits:
            return "value"
        return "marker" if run.held else ""

    # -- where it starts -----------------------------------------------------------------------------------------

    def _begin(self, prompt: str | None, thinking: bool | None) -> None:
        run = self._run
        reasoning, turns = self._format.reasoning, run.turns
        if prompt is None and turns.headed:
            prompt = canonical(turns.assistant)
        turn = None if prompt is None else tail(prompt, turns)
        spoke = turn is not None and bool(turn.text) and run.run_prompt(turn.text, turn.bounded)
        self._prompted = spoke and run.state.name != "start"
        wanted = reasoning is not None and (reasoning.default if thinking is None else thinking)
        if reasoning is not None and wanted and reasoning.opened_by == "prompt" and not spoke:
            run.start_inside()
        elif not wanted and not self._prompted:
            run.over_at = 0
        if run.reasoning_open and self._builder is not None:
            self._builder.reasoning_begun()

    # -- one step ------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._finished:
            raise RuntimeError("the output is finished; make a new Parser for the next one")

    def _feed_strand(
        self, strand: Strand, text: str | None, ids: Sequence[int], logprobs: Sequence[float] | None
    ) -> list[Event]:
        """Text and ids that didn't come together, or hold special tokens."""
        self._check_open()
        text = strand.take(text, ids, logprobs)
        return self._stream(text) if self._streaming and text and MARK not in text else self._read(text)

    def _spans_since(self, offset: int) -> list[Span]:
        """The spans of what has been said that end after this offset; offsets are the machine's."""
        self._catch_up()
        said, settled = self._run.settled
        return said.since(offset, settled)

    def _with_tokens(
        self, strand: Strand, builder: MessageBuilder, spans: tuple[Span, ...], notes: tuple[Note, ...]
    ) -> Message:
        """The message, with its offsets those of the output, and its tokens."""
        from .tokens.account import text_spans, token_spans
        from .tokens.marked import unmarked_note

        message = builder.message(text_spans(spans, strand), tuple(unmarked_note(n, strand.offset) for n in notes))
        tokens = token_spans(spans, strand, self._finished)
        return replace(message, token_spans=tokens, token_logprobs=strand.all_logprobs())

    def _read(self, text: str) -> list[Event]:
        """Text that may cross a marker."""
        self._check_open()
        run = self._run
        if not text:
            return self._release() if run.output.events else []
        self._catch_up()
        run.feed(text)
        return self._release()

    def _stream(self, text: str) -> list[Event]:
        """Text that needs a look, and most likely goes out as it comes."""
        if self._passing is not None:
            return self._stream_json(self._passing, text)
        run = self._run
        state = run.state
        buffer = run.held + text
        if state.trigger(buffer) is not None:
            return self._read(text)
        # No marker can begin in it; only white space at its end may belong to one that is to come.
        stop = state.layout(buffer, 0) if buffer[-1] in self._edges else len(buffer)
        said, run.held = buffer[:stop], buffer[stop:]
        self._fast += stop
        index = self._index
        if run.held:
            self._trigger, self._first = _NEVER, ""
        elif index is None:
            self._trigger, self._first = state.trigger, state.first
        else:
            self._trigger = state.escapes
        if not said:
            return []
        if index is None:
            self._write(said)
            return [_new(self._kind, (said,))]
        escaped = encode_basestring(said)[1:-1]
        self._write(escaped)
        return [_new(ToolCallArguments, (index, escaped))]

    def _stream_json(self, scanner: JsonScanner, text: str) -> list[Event]:
        """Arguments that pass through; where they end or break, the executor reads on."""
        stop = scanner.scan(text, 0, len(text))
        said, rest = text[:stop], text[stop:]
        self._streaming = not (scanner.done or scanner.malformed)
        self._trigger = _STRING_TRIGGER if scanner.plain and self._streaming else _NEVER
        self._fast += stop
        self._write(said)
        events: list[Event] = [_new(ToolCallArguments, (self._index, said))] if said else []
        if rest or scanner.done:
            self._catch_up()
            self._run.feed(rest)
            return events + self._release()
        return events

    def _catch_up(self) -> None:
        """Tell the executor of the text that took the fast path."""
        if self._fast:
            self._run.skip(self._span_kind, self._index, self._fast)
            self._fast = 0

    def _release(self) -> list[Event]:
        """The events that may leave, added to the message."""
        run = self._run
        output = run.output if run.trial is None else run.trial.output
        waiting = output.events.cut(0)
        released: list[Event] = []
        builder = self._builder
        clean = self._clean
        for event in waiting:
            said = event.event if isinstance(event, Unsaid) else event
            if clean is not None:
                said = clean(said)
            if not isinstance(event, Unsaid):
                released.append(said)
            if builder is not None:
                builder.add(said)
        self._arm()
        return released

    def _arm(self) -> None:
        """Set up the fast path for the state that has been reached."""
        self._trigger = _NEVER
        self._first = ""
        self._edges = _NO_EDGES
        self._index = None
        self._span_kind = "content"
        self._write = len
        self._kind = Content
        self._streaming = False
        self._passing = None
        run = self._run
        waits = run.opening is not None or run.trial is not None or run.output.events
        if waits or run.soft or run.end < 0 or self._finished:
            return
        state = run.state
        channel = state.channel
        builder = self._builder
        if channel == "content" or channel == "reasoning":
            self._span_kind = channel
            self._kind = Content if channel == "content" else Reasoning
            if not run.held:
                self._trigger, self._first = state.trigger, state.first
            self._edges = state.soft_edges
            if builder is not None:
                self._write = builder.writer(channel)
            self._streaming = True
            return
        call = run.calls.open
        if call is None or self._quiet or channel in ("markup", "aside"):
            return
        if channel == "value":
            if call.params is None or not call.params.verbatim:
                return
            self._trigger = _NEVER if run.held else state.escapes
            self._edges = state.soft_edges
        else:
            scanner = run.calls.passing
            look = run.calls.plain
            if run.held or (scanner is None and look is None):
                return
            self._trigger = look or (_STRING_TRIGGER if scanner is not None and scanner.plain else _NEVER)
            self._passing = scanner
        self._span_kind = "argument"
        self._index = call.index
        if builder is not None:
            self._write = builder.arguments_writer()
        self._streaming = channel == "value" or self._passing is not None

    def _promote_reasoning(self) -> None:
        """Move reasoning to content, once, where there is no content."""
        builder, output = self._builder, self._run.output
        assert builder is not None
        said = [event for event in output.events if isinstance(event, Content | Reasoning)]
        reasoning = builder.text("reasoning") + "".join(e.text for e in said if isinstance(e, Reasoning))
        content = builder.text("content") + "".join(e.text for e in said if isinstance(e, Content))
        if reasoning and not content.strip():
            builder.promoted = True
            output.note("promoted", 0, self._run.end, "reasoning was moved to content")
            output.say(Content(reasoning))


def parse(text: str, format: str | Format, *, finish: FinishReason = "stop", **options: Any) -> Message:
    """The message of a whole output: what a :class:`Parser` that is fed once comes to.

    Args:
        text: the output, without the prompt.
        format: a name, an alias, or a :class:`Format`.
        finish: why the output ended.
        options: those of :class:`Parser`.
    """
    parser = Parser(format, **options)
    parser.feed(text)
    parser.finish(finish)
    return parser.message


def _random_id() -> str:
    return f"call_{urandom(12).hex()}"
