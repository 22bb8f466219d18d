"""The calls of one output: from a call's name to its end, and the JSON text of its arguments in between.

What opens, feeds and closes a call is decided by the machine's edges and told to :class:`Calls` by the parser; here
it is decided what a call is said to be: its id, its notes, whether it is complete, and when its events may leave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

from .arguments.decoder import Arguments, Look
from .arguments.gemma import GemmaDecoder
from .arguments.json_call import JsonCallDecoder
from .arguments.nested import NestedDecoder
from .arguments.params import ParamsWriter
from .arguments.policies import POLICIES
from .arguments.python import PythonDecoder
from .arguments.scan import JsonScanner
from .arguments.typing import Policy
from .events import Event, Note, NoteKind, SpanKind, ToolCallArguments, ToolCallEnd, ToolCallStart
from .format import Call, Gemma, JsonCall, Nested, Params, Python, Spelling, spellings
from .log import Log
from .options import CallOptions
from .output import Output, Unsaid
from .tools import schemas

_SPACE = " \t\r\n"


class OpenCall:
    """A call between its start and its end."""

    __slots__ = ("decoder", "index", "name", "notes", "params", "queue", "scanner", "start")

    def __init__(self, index: int, name: str, start: int) -> None:
        self.index = index
        self.name = name
        self.start = start
        """Offset of the first character of its markup."""
        self.notes: list[Note] = []
        self.params: ParamsWriter | None = None
        self.scanner: JsonScanner | None = None
        """What walks its arguments where they are JSON that passes through."""
        self.decoder: Arguments | None = None
        """What turns them into JSON where they are a notation of their own."""
        self.queue: Log[Event] = Log()
        """Its events, where they wait until it is complete."""

    def fork(self) -> OpenCall:
        """An independent call in the same state."""
        new = OpenCall(self.index, self.name, self.start)
        new.notes = self.notes.copy()
        new.params = self.params and self.params.copy()
        new.scanner = self.scanner and self.scanner.copy()
        new.decoder = self.decoder and self.decoder.copy()
        new.queue = self.queue.fork()
        return new


class Calls:
    """The calls so far and the one that is open."""

    __slots__ = (
        "_body_spans", "_given_ids", "_new_id", "_noise", "_options", "_schemas", "_shape", "_spare_ids", "_tools",
        "count", "decoder", "open", "output",
    )  # fmt: skip

    def __init__(
        self,
        tools: Iterable[Any] | None,
        options: CallOptions,
        new_id: Callable[[], str],
        output: Output,
    ) -> None:
        self._shape: Call | None = None
        """The shape of the call that is being read, or was last."""
        self._tools = tools
        self._options = options
        self._new_id = new_id
        self._schemas: dict[str, Mapping[str, Any] | None] | None = None
        self._spare_ids: Log[str] = Log()
        """Ids of calls that never were, for those to come; the next one last."""
        self._given_ids: list[str] | None = None
        """Ids that were made up on trial."""
        self._noise: Note | None = None
        self._body_spans = 0
        self.output = output
        self.count = 0
        """How many calls have begun."""
        self.open: OpenCall | None = None
        """The call that is being read."""
        self.decoder: JsonCallDecoder | PythonDecoder | None = None
        """What reads the body, where it holds name and arguments."""

    # -- what is known of them -----------------------------------------------------------------------------------

    @property
    def index(self) -> int | None:
        """The open call's place among the calls."""
        return self.open.index if self.open else None

    def may_be_words(self, shape: Call | None) -> bool:
        """Whether what follows the opener of such a call can still show that it was words and no call."""
        assert shape is not None
        options = self._options
        unnamed = isinstance(shape.arguments, JsonCall | Python)
        return unnamed or options.cut == "text" or (options.undeclared == "text" and self._tools is not None)

    @property
    def ends_itself(self) -> bool:
        """Whether the call that is being read has no closing marker."""
        return self._shape is not None and self._shape.close is None

    @property
    def passing(self) -> JsonScanner | None:
        """What walks the open call's arguments while they are sound JSON that passes through."""
        call = self.open
        scanner = self.decoder.scanner if self.decoder is not None else call.scanner if call is not None else None
        if scanner is None or not scanner.begun or scanner.malformed or scanner.done:
            return None
        return scanner

    @property
    def plain(self) -> Look | None:
        """Where a string of the open call streams through a decoder: what finds a character that needs a look."""
        call = self.open
        if call is None or isinstance(self.decoder, JsonCallDecoder):
            return None
        decoder = self.decoder or call.decoder
        return decoder.plain if decoder is not None else None

    def _declared(self) -> dict[str, Mapping[str, Any] | None]:
        if self._schemas is None:
            self._schemas = schemas(self._tools or ())
        return self._schemas

    # -- beginning -----------------------------------------------------------------------------------------------

    def accepts(self, name: str) -> bool:
        """Whether a call of this name is to be a call. Otherwise it wasn't offered and is to stay text.

        Where no marker says that it is one, only the name does.
        """
        bare = self._shape is not None and self._shape.open is None
        return (self._options.undeclared != "text" and not bare) or self._is_declared(name)

    def _is_declared(self, name: str) -> bool:
        return self._tools is None or name in self._declared()

    def begin(self, name: str, wire_id: str | None, start: int) -> None:
        """A call is known by its name; ``start`` is the offset of its markup."""
        if self.decoder is not None:
            self.output.claim(self._body_spans, self.count)
        self.open = OpenCall(self.count, name, start)
        self.count += 1
        self._say(ToolCallStart(self.open.index, self._id(wire_id), name))
        if not self._is_declared(name):
            self.note("undeclared", start, start, f"no tool {name!r} was offered")

    def begin_named(self, shape: Call, name: str, wire_id: str | None, start: int) -> None:
        """A call of this shape, whose opener names it."""
        self._shape = shape
        self.decoder = None
        self.begin(name, wire_id, start)
        call = self.open
        assert call is not None
        codec = shape.arguments
        rules = POLICIES[self._options.typing]
        if isinstance(codec, Params):
            call.params = ParamsWriter(self._declared().get(name), codec, rules)
        elif isinstance(codec, Gemma):
            call.decoder = GemmaDecoder(codec.quote)
        elif isinstance(codec, Nested):
            schema = self._declared().get(name)
            call.decoder = NestedDecoder(codec.namespace, codec.item, schema, schema or {}, Policy("string", rules))
        else:
            call.scanner = JsonScanner()

    def name_in(self, id: str, shape: Call) -> str:
        """The function's name in an id on the wire, e.g. ``functions.find_trains:0``; the id if it has no shape."""
        for pattern in _patterns(shape.id):
            found = pattern.fullmatch(id)
            if found is not None:
                return found["name"]
        return id

    def begin_body(self, shape: Call | None) -> None:
        """A body begins that holds name and arguments."""
        assert shape is not None
        self._shape = shape
        self._body_spans = len(self.output.spans)
        codec = shape.arguments
        assert isinstance(codec, JsonCall | Python)
        self.decoder = JsonCallDecoder(codec) if isinstance(codec, JsonCall) else PythonDecoder(codec.layout)

    def begin_json(self) -> None:
        """The open call's arguments are written as JSON after all."""
        assert self.open is not None
        self.open.scanner = JsonScanner()

    def _id(self, wire_id: str | None) -> str:
        """The id on the wire, or one that is made up."""
        if wire_id is not None:
            return wire_id
        spare = self._spare_ids.cut(len(self._spare_ids) - 1)
        id = spare[0] if spare else self._new_id()
        if self._given_ids is not None:
            self._given_ids.append(id)
        return id

    # -- parameters ----------------------------------------------------------------------------------------------

    def open_parameter(self, key: str, declared: str | None, start: int, end: int) -> None:
        """A parameter begins; ``declared`` is the type that the model says it has; offsets are those of its opener."""
        assert self.open is not None and self.open.params is not None
        params = self.open.params
        key = params.key(key)
        if key in params.given:
            self.note("malformed", start, end, f"parameter {key!r} is given twice")
        self._say_arguments(params.open(key, declared))

    def expects(self, key: str) -> bool:
        """Whether the tool has such a parameter and it wasn't given yet."""
        params = self.open.params if self.open else None
        if params is None:
            return False
        key = params.key(key)
        return params.declares(key) and key not in params.given

    def value(self, text: str) -> None:
        """A piece of the open parameter's value."""
        assert self.open is not None and self.open.params is not None
        self._say_arguments(self.open.params.text(text))

    def close_parameter(self) -> None:
        """The open parameter, if there is one, is over."""
        params = self.open.params if self.open else None
        if params is not None and params.inside:
            self._say_arguments(params.close())

    # -- arguments that say themselves where they end --------------------------------------------------------------

    @property
    def malformed(self) -> bool:
        """Whether what is being read has broken the grammar of its notation."""
        reading = self._reading
        return reading is not None and reading.malformed

    @property
    def arguments_done(self) -> bool:
        """Whether what is being read is over."""
        reading = self._reading
        return reading is None or reading.done

    @property
    def _reading(self) -> JsonCallDecoder | PythonDecoder | Arguments | JsonScanner | None:
        """What reads the body or the arguments."""
        if self.decoder is not None or self.open is None:
            return self.decoder
        return self.open.decoder or self.open.scanner

    def read_arguments(self, buffer: str, place: int, limit: int) -> int:
        """Arguments that stand by themselves; returns where reading stopped."""
        call = self.open
        assert call is not None
        if call.decoder is not None:
            said, stop = call.decoder.feed(buffer, place, limit)
            self._say_arguments(said)
            self.mark("argument", place, stop)
            return stop
        scanner = call.scanner
        assert scanner is not None
        if not scanner.begun and not scanner.malformed:
            begins = place
            while begins < limit and buffer[begins] in _SPACE:
                begins += 1
            self.mark("markup", place, begins)
            if begins == limit:
                return limit
            if buffer[begins] != "{":
                scanner.malformed = True
                return begins
            place = begins
        stop = scanner.scan(buffer, place, limit)
        self._say_arguments(buffer[place:stop])
        self.mark("argument", place, stop)
        return stop

    def settle(self) -> None:
        """The output is over: what waited for more is certain now."""
        if self.open is not None and self.open.decoder is not None:
            self._say_arguments(self.open.decoder.finish())

    def mark(self, kind: SpanKind, start: int, end: int, label: str = "") -> None:
        """Mark characters of the open call."""
        if self._options.drop and kind != "markup":
            kind = "dropped"
        self.output.mark(kind, start, end, label, self.index)

    # -- ending --------------------------------------------------------------------------------------------------

    def end(self, at: int, closed: bool) -> None:
        """The open call, if there is one, is over at offset ``at``; ``closed``: its closing marker was there."""
        call = self.open
        if call is None:
            return
        complete = self.complete
        if not complete:
            self.note("malformed", call.start, at, "the arguments are not complete")
        elif not closed and not self._options.repair:
            complete = False
            self.note("incomplete", call.start, at, "the closing marker is missing")
        elif not closed:
            self.note("repaired", call.start, at, "the closing marker was missing")
        self._close(call, complete)

    def cut(self, at: int) -> None:
        """The output ended inside the open call."""
        call = self.open
        assert call is not None
        self.note("incomplete", call.start, at, "the output ended inside the call")
        self._close(call, complete=False)

    def retract(self) -> None:
        """The open call, of which nothing has been said, becomes text."""
        assert self.open is not None
        notes = self.output.notes
        notes.cut(len(notes) - len(self.open.notes))
        self.count -= 1
        self.open = None

    @property
    def complete(self) -> bool:
        """Whether the open call's arguments are complete."""
        call = self.open
        assert call is not None
        if call.params is not None and (call.scanner is None or call.params.count):
            return not call.params.inside
        if call.decoder is not None:
            return call.decoder.done
        if call.scanner is not None:
            call.scanner.finish()
            return call.scanner.done
        return self.decoder is None or self.decoder.done or self.decoder.arguments_over

    def _close(self, call: OpenCall, complete: bool) -> None:
        if complete and call.params is not None and (call.params.count or call.scanner is None):
            self._say_arguments(call.params.end())
        if self.malformed and not any(note.kind == "malformed" for note in call.notes):
            self.note("malformed", call.start, call.start, "the arguments don't keep to their notation")
        self._say(ToolCallEnd(call.index, complete, tuple(call.notes)))
        self.open = None
        if complete or self._options.cut == "keep":
            self.output.events.own += call.queue
        elif self._options.cut == "apart":
            self.output.events.own += [Unsaid(event) for event in call.queue]

    # -- saying --------------------------------------------------------------------------------------------------

    def note(self, kind: NoteKind, start: int, end: int, detail: str) -> Note:
        """A note on the open call and on the message; offsets are those of the output."""
        note = self.output.note(kind, start, end, detail)
        if self.open is not None:
            self.open.notes.append(note)
        return note

    def note_noise(self, start: int, end: int) -> None:
        """Words between a call's markers: noted once, however many pieces they come in."""
        assert self.open is not None
        if self._noise is not None:
            # Nothing was noted since: only a marker ends the call or lets another state have a say.
            start = self._noise.start
            self.open.notes.pop()
            self.output.notes.cut(len(self.output.notes) - 1)
        self._noise = self.note("malformed", start, end, "text that is no part of the call")

    def marker_met(self) -> None:
        """A marker ends a run of noise."""
        self._noise = None

    def _say(self, event: Event) -> None:
        if self._options.drop:
            return
        assert self.open is not None
        if self._options.whole:
            self.open.queue.own.append(event)
        else:
            self.output.say(event)

    def _say_arguments(self, json: str) -> None:
        if json and self.open is not None:
            self._say(ToolCallArguments(self.open.index, json))

    # -- trials and forks ----------------------------------------------------------------------------------------

    def on_trial(self, output: Output) -> int:
        """Calls are tried out from here on, and said to another output; returns the count to go back to."""
        self.output = output
        self._given_ids = []
        return self.count

    def accept(self, output: Output) -> None:
        """What was tried out stands."""
        self.output = output
        self._given_ids = None

    def forget(self, count: int, output: Output) -> None:
        """The calls that were tried out never were."""
        self.count = count
        self.output = output
        self.open = None
        self.decoder = None
        self._spare_ids.own += reversed(self._given_ids or ())
        self._given_ids = None

    def fork(self, output: Output) -> Calls:
        """Independent calls in the same state, which say to another output."""
        new = Calls(self._tools, self._options, self._new_id, output)
        new._shape, new._schemas, new._noise = self._shape, self._schemas, self._noise
        new._body_spans, new.count = self._body_spans, self.count
        new._spare_ids = self._spare_ids.fork()
        new._given_ids = None if self._given_ids is None else self._given_ids.copy()
        new.open = self.open and self.open.fork()
        new.decoder = self.decoder and self.decoder.copy()
        return new


class Reading:
    """What a call body's decoder tells, with offsets into the text of one feed (a ``Sink`` of ``json_call``)."""

    __slots__ = ("_at", "_begin", "_calls")

    def __init__(self, calls: Calls, at: int, begin: Callable[[str, str | None, int], bool]) -> None:
        self._calls = calls
        self._at = at
        self._begin = begin

    def call_named(self, name: str, id: str | None, at: int) -> bool:
        """A call's name is known."""
        return self._begin(name, id, at)

    def call_arguments(self, json: str) -> None:
        """A fragment of the arguments."""
        self._calls._say_arguments(json)

    def call_over(self, at: int) -> None:
        """One object of an array is over."""
        calls = self._calls
        calls.end(calls.output.base + at, closed=True)
        calls._body_spans = len(calls.output.spans)

    def mark(self, kind: str, end: int) -> None:
        """The characters up to ``end`` are of this kind."""
        if end > self._at:
            self._calls.mark(cast(SpanKind, kind), self._at, end)
            self._at = end


@lru_cache(maxsize=64)
def _patterns(shapes: Spelling | None) -> tuple[re.Pattern[str], ...]:
    patterns = []
    for shape in spellings(shapes):
        pattern = re.escape(shape).replace(r"\{name\}", "(?P<name>.+)").replace(r"\{index\}", "[0-9]+")
        patterns.append(re.compile(pattern, re.DOTALL))
    return tuple(patterns)
