"""The executor: carries out the machine's table on text, and says what comes of it to an :class:`Output`.

Two rules, after h11's example. All that decides where a character goes stands in the table; this file only carries
out what an edge says. And every step either consumes text or changes state, and never looks at consumed text again.

Two things may have to wait. A *trial*: a call's opener while reasoning is open; until it is known whether reasoning
is closed later, it is read as a call into an output of its own. An *opening*: a call whose name isn't known yet;
until it is, its text may still turn out to be words. What a call is said to be is decided in ``calls``; how deltas
get here, and how events leave, in ``parser``.
"""

from __future__ import annotations

import re

from .calls import Calls, Reading
from .events import Content, FinishReason, Reasoning, ReasoningEnd, ReasoningStart, SpanKind
from .format import Turns
from .literals import Ended
from .log import Log
from .machine import Machine, State
from .output import Output
from .table import OPENS_CALLS, Do, Edge

_SETTLED = {"start": "content", "answer": "content", "reasoning.start": "reasoning"}
"""The state for words, where a state is left by a first word."""
_WORDS_AFTER = frozenset({"content", "answer"})
"""The states that a call is followed by."""


class Opening:
    """A call's opener and what came after it, until the call is known to be one."""

    __slots__ = ("count", "parent", "raw", "seen", "spans", "start")

    def __init__(self, parent: State, start: int, spans: int, count: int) -> None:
        self.parent = parent
        self.start = start
        self.seen = start
        """Up to where ``raw`` holds the text."""
        self.raw: Log[str] = Log()
        self.spans = spans
        """How many spans there were before it."""
        self.count = count
        """How many calls."""

    def fork(self) -> Opening:
        """An independent one in the same state."""
        new = Opening(self.parent, self.start, self.spans, self.count)
        new.seen, new.raw = self.seen, self.raw.fork()
        return new


class Trial:
    """A call's opener in open reasoning, and all since: a draft, or a call of a model that forgot to close."""

    __slots__ = ("carry", "count", "output", "raw", "start")

    def __init__(self, start: int, raw: str, carry: str, output: Output, count: int) -> None:
        self.start = start
        self.raw: Log[str] = Log()
        self.raw.own.append(raw)
        self.carry = carry
        """The tail of the text that may become the closing marker of reasoning."""
        self.output = output
        """The output before the trial."""
        self.count = count
        """How many calls there were before it."""

    def fork(self) -> Trial:
        """An independent one in the same state."""
        new = Trial(self.start, "", self.carry, self.output.fork(), self.count)
        new.raw = self.raw.fork()
        return new


class Executor:
    """The state of reading one output.

    Args:
        machine: the table.
        calls: the calls, which say to the same output.
        output: where everything is said.
        decide: whether a call in open reasoning is decided late.
        inside: whether a call leaves open reasoning open.
        cut_to_text: whether a call that is cut off becomes text.
        repair: whether a call without its closing marker counts.
    """

    __slots__ = (
        "_again",
        "_call_at",
        "_crossed",
        "_cut_to_text",
        "_decide",
        "_framed",
        "_inside",
        "_machine",
        "_repair",
        "calls",
        "end",
        "held",
        "opening",
        "output",
        "over_at",
        "reasoning_open",
        "soft",
        "state",
        "trial",
    )

    def __init__(
        self,
        machine: Machine,
        calls: Calls,
        output: Output,
        *,
        decide: bool,
        inside: bool,
        cut_to_text: bool,
        repair: bool,
    ) -> None:
        self._machine = machine
        self._decide = decide
        self._inside = inside
        self._cut_to_text = cut_to_text
        self._repair = repair
        self._crossed = False
        """Whether a marker of reasoning has been met."""
        self.calls = calls
        self.output = output
        self.state: State = machine["start"]
        self.held = ""
        """Text that may become a marker."""
        self.end = 0
        """How much of the output has been consumed, in characters."""
        self.soft: tuple[str, ...] = ()
        """White space that still belongs to the marker just crossed, in its possible spellings."""
        self.reasoning_open = False
        self.over_at: int | None = None
        """Where reasoning was over, with the marker that closed it; ``None`` while more of it may come. Where a call or
        the answer ended it, the opener of that is what comes after it."""
        self.opening: Opening | None = None
        self.trial: Trial | None = None
        self._again = ""
        """White space at the end of what was no call, to be read again: it may belong to the marker after it."""
        self._framed = machine.framed
        self._call_at = 0
        """Where the opener that was met last begins, without white space before it."""

    # -- where it starts ---------------------------------------------------------------------------------------------

    def start_inside(self) -> None:
        """The output starts inside reasoning."""
        self.state = self._machine["reasoning.start"]
        self.reasoning_open = True
        self.over_at = None

    def run_prompt(self, text: str, bounded: bool) -> bool:
        """Run the machine over the prompt's tail; whether that said where the output starts."""
        decide, self._decide = self._decide, False
        keep_spans = self.output.keep_spans
        self.output = self.calls.output = Output(keep_spans=False)
        self._advance(text)
        self._decide = decide
        call = self.calls.open
        said = [] if call is None else [e for e in self.output.events if getattr(e, "index", None) == call.index]
        self.output = self.calls.output = Output(keep_spans)
        in_call = self.state.channel not in ("content", "reasoning", "aside")
        begun = bool(self.held.strip())
        # A marker may have begun in the prompt: its characters have offsets below 0 and are never said.
        self.held = self.held if begun else ""
        self.end = -len(self.held)
        self.opening = None
        self.calls.count = 0
        self.over_at = None if self.over_at is None else 0
        if not (self._crossed or in_call or begun or (bounded and self.state.name != "start")):
            self.state = self._machine["start"]
            self.soft = ()
            self.over_at = None
            return False
        if call is not None:
            # The prompt begins a call that the model goes on with: the client hears of it with the first event.
            call.start, call.index = 0, 0
            self.calls.count = 1
            self.output.events.own += [tuple.__new__(type(event), (0, *tuple(event)[1:])) for event in said]
        elif in_call and self.calls.decoder is not None:
            self.opening = Opening(self._machine["content"], 0, 0, 0)
        return True

    @property
    def turns(self) -> Turns:
        """The turn boundaries of what is read."""
        return self._machine.format.turns

    @property
    def over(self) -> int | None:
        """Where reasoning was over, also if the marker that closed it may still turn out to be a longer one."""
        if self.trial is not None or self.over_at is not None or not self.held or self._framed:
            return None if self.trial is not None else self.over_at
        _, found = self.state.find(self.held, 0, "stop")
        closed = found is not None and self.state.edge(found).do is Do.CLOSE_REASONING
        return max(0, self.end + found.end()) if found is not None and closed else None

    @property
    def settled(self) -> tuple[Output, int | None]:
        """What has been said for good, and how many of its spans are: what an opening holds may be markup or words."""
        if self.trial is not None:
            return self.trial.output, None
        return self.output, self.opening.spans if self.opening is not None else None

    @property
    def may_reason(self) -> bool:
        """Whether reasoning may begin from here on."""
        return self.state.name in self._machine.reasoning_ahead

    @property
    def bound(self) -> int:
        """The most characters that can be held while a marker may still complete."""
        return self._machine.bound

    @property
    def unsaid(self) -> str:
        """Text that has arrived and of which nothing has been said yet."""
        if self.trial is not None:
            return "".join(self.trial.raw)[max(0, -self.trial.start) :]
        if self.opening is not None:
            return ("".join(self.opening.raw) + self.held)[max(0, -self.opening.start) :]
        return self.held[max(0, -self.end) :]

    def fork(self) -> Executor:
        """An independent executor in the same state."""
        new = Executor.__new__(Executor)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new.output = self.output.fork()
        new.calls = self.calls.fork(new.output)
        new.opening = self.opening and self.opening.fork()
        new.trial = self.trial and self.trial.fork()
        return new

    # -- one step ----------------------------------------------------------------------------------------------------

    def feed(self, text: str) -> None:
        """Read on."""
        trial = self.trial
        if trial is not None and self._is_draft(trial, text):
            text = self._back_to_reasoning(trial, text)
        self._advance(text)

    def skip(self, kind: SpanKind, call: int | None, characters: int) -> None:
        """Characters of this kind went out by the fast path, which changes nothing else."""
        self.end += characters
        output = self.output
        output.base = 0
        output.mark(kind, self.end - characters, self.end, "", call)

    def _advance(self, text: str, ended: Ended = "") -> None:
        """Consume what has arrived as far as it is clear; keep the rest."""
        buffer = self.held + text
        base = self.end
        self.output.base = base
        place, size = 0, len(buffer)
        no_closer: int | None = None
        while True:
            if self._again:
                buffer, base, place = self._again + buffer[place:], base + place - len(self._again), 0
                size, no_closer = len(buffer), None
                self.output.base, self._again = base, ""
            if self.soft and place < size:
                place = self._skip_soft(buffer, place)
            state = self.state
            if state.channel == "arguments" or state.channel == "body":
                if place == size and not self.calls.arguments_done:
                    break
                place, waits = self._read_call(buffer, place, ended)
                if waits:
                    break
                continue
            start, found = state.find(buffer, place, ended)
            if start > place:
                self._text(buffer, place, start)
            place = start
            if found is None:
                break
            edge = state.edge(found)
            if edge.do in OPENS_CALLS and self.reasoning_open and self._decide and not ended and self.trial is None:
                if no_closer is None:
                    no_closer, closer = self._machine["draft"].find(buffer, place)
                    if closer is not None:
                        self.state = self._machine["draft"]
                        continue
                self._begin_trial(base + place, buffer[place:], buffer[max(place, no_closer) :])
            place = self._cross(edge, found, buffer, place)
        self.held = buffer[place:]
        self.end = base + place
        opening = self.opening
        if opening is not None and opening.seen < self.end:
            opening.raw.own.append(buffer[opening.seen - base : place])
            opening.seen = self.end

    def _skip_soft(self, buffer: str, place: int) -> int:
        """White space that belongs to the marker just crossed."""
        start = place
        soft = self.soft
        while place < len(buffer) and soft:
            character = buffer[place]
            soft = tuple(each[1:] for each in soft if each[0] == character)
            if not soft:
                break
            place += 1
            soft = tuple(each for each in soft if each)
        self.soft = soft if place == len(buffer) else ()
        if place > start:
            last = self.output.last
            self.output.mark("markup", start, place, last.label if last else "", last.call if last else None)
        return place

    def _text(self, buffer: str, start: int, end: int) -> None:
        """Characters that are no marker: they go where the state says."""
        output = self.output
        start = max(start, -output.base)
        if start >= end:
            return
        channel = self.state.channel
        text = buffer[start:end]
        if channel == "content":
            if self.over_at is None:
                self.over_at = output.base + start
            output.say(Content(text))
            output.mark("content", start, end)
        elif channel == "reasoning":
            output.say(Reasoning(text))
            output.mark("reasoning", start, end)
        elif channel == "value":
            self.calls.value(text)
            self.calls.mark("argument", start, end)
        elif channel == "aside":
            output.mark("dropped", start, end)
        else:
            self.calls.mark("markup", start, end)
            if self.calls.open is not None and not text.isspace():
                first, last = end - len(text.lstrip()), start + len(text.rstrip())
                self.calls.note_noise(output.base + first, output.base + last)

    # -- markers -------------------------------------------------------------------------------------------------

    def _cross(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """Carry out what an edge says, for a marker that begins at ``start``; returns where to go on."""
        end = found.end()
        base = self.output.base
        calls = self.calls
        do = edge.do
        calls.marker_met()
        if self.state.channel == "body" and calls.open is None and self.opening is not None:
            return self._reject(buffer, end)
        if do is Do.OPEN_UNCLOSED and not self._is_next_parameter(edge, found, buffer, start):
            self._text(buffer, start, end)
            return end
        if do is Do.TOGGLE_FENCE:
            self._text(buffer, start, end)
            self.state = self._machine[edge.to]
            return end
        if do is Do.END_BY_CALL:
            self._crossed = True
            self._reasoning_over(base + found.start())
            self._enter(edge.to)
            return start
        index = calls.index
        if do in OPENS_CALLS:
            if self.opening is None:
                self._call_at = base + found.start()
            self._open(edge, base + start)
        if do is Do.OPEN_CALL:
            return self._open_call(edge, found, buffer, start)
        if do is Do.OPEN_BODY:
            calls.begin_body(edge.call)
        elif do is Do.OPEN_JSON:
            calls.begin_json()
        elif do is Do.OPEN_REASONING:
            self._end_call(base + start, closed=False)
            self._crossed = True
            self.over_at = None
            if not self.reasoning_open:
                self.reasoning_open = True
                self.output.say(ReasoningStart())
        elif do is Do.CLOSE_REASONING or do is Do.OPEN_ANSWER or do is Do.OPEN_ASIDE:
            self._crossed = True
            self._close_part(do, base + found.start(), base + end)
        elif do is Do.CLOSE_PARAM:
            calls.close_parameter()
        elif do is Do.OPEN_PARAM or do is Do.OPEN_UNCLOSED:
            calls.close_parameter()
            self._open_parameter(edge, found, buffer, start)
            start = end
        elif do is Do.CLOSE_CALL:
            calls.close_parameter()
            self._end_call(base + end, closed=True)
            index = calls.count - 1
        elif do is Do.CLOSE_SECTION or do is Do.LEAVE:
            self._end_call(base + start, closed=False)
            if edge.to == "content" and self.over_at is None and not self.reasoning_open:
                self.over_at = base + end
        self.output.mark("markup", start, end, edge.label, None if do is Do.CLOSE_SECTION else index)
        if self.opening is not None and calls.open is None and edge.to in _WORDS_AFTER:
            if do is Do.LEAVE:
                return self._reject(buffer, end)
            self.opening = None
            if not self._inside:
                self._reasoning_over(self._call_at)
        self._enter(edge.to)
        self.soft = edge.trails
        return end

    def _enter(self, name: str) -> None:
        """The next state. Words after a call that stood inside reasoning are reasoning."""
        self.state = self._machine["reasoning" if self.reasoning_open and name in _WORDS_AFTER else name]

    def _open(self, edge: Edge, at: int) -> None:
        """The model leaves its words to call a tool, or seems to."""
        may_be_words = self.calls.may_be_words(edge.call)
        if self.opening is None and self.calls.open is None and may_be_words:
            self.opening = Opening(self.state, at, len(self.output.spans), self.calls.count)
        self._end_call(at, closed=edge.label == "another call" or edge.label == "call separator")
        if self.opening is None:
            if may_be_words:
                self.opening = Opening(self.state, at, len(self.output.spans), self.calls.count)
            elif not self._inside:
                self._reasoning_over(self._call_at)

    def _close_part(self, do: Do, start: int, end: int) -> None:
        """Reasoning is closed, or ended by the answer. Where all is framed, there may be more of it until the answer's
        opener has said what comes."""
        if self._framed and do is not Do.OPEN_ANSWER:
            self._close_reasoning()
            return
        if self.state.name == "start":
            self.over_at = None  # this says more than that none was to come
        self._reasoning_over(end if self._framed or do is Do.CLOSE_REASONING else start)

    def _reasoning_over(self, at: int) -> None:
        """No more reasoning comes; it was over at this offset."""
        if self.over_at is None:
            self.over_at = max(0, at)
        self._close_reasoning()

    def _close_reasoning(self) -> None:
        if self.reasoning_open:
            self.reasoning_open = False
            self.output.say(ReasoningEnd())

    # -- calls ---------------------------------------------------------------------------------------------------

    def _open_call(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """A call whose opener names it."""
        end = found.end()
        holes = self.state.holes(found)
        id_start, id_end = holes.get("id", (0, 0))
        name_start, name_end = holes.get("name", (id_start, id_end))
        written = buffer[name_start:name_end]
        assert edge.call is not None
        name = written if "name" in holes else self.calls.name_in(written, edge.call)
        if not self.calls.accepts(name):
            return self._reject(buffer, end)
        at = self._call_begins(self.output.base + start)
        self.calls.begin_named(edge.call, name, buffer[id_start:id_end] or None, at)
        within = name_start + written.find(name)
        self.calls.mark("markup", start, within, edge.label)
        self.calls.mark("tool_name", within, within + len(name))
        self.calls.mark("markup", within + len(name), end, edge.label)
        self.state = self._machine[edge.to]
        self.soft = edge.trails
        return end

    def _body_named(self, name: str, wire_id: str | None, at: int) -> bool:
        """The call in a JSON body is known by its name."""
        if not self.calls.accepts(name):
            return False
        self.calls.begin(name, wire_id, self._call_begins(self.output.base + at))
        return True

    def _call_begins(self, at: int) -> int:
        """It was a call indeed; returns the offset at which its markup began."""
        if self.opening is not None:
            at = max(0, self.opening.start)
            if not self._cut_to_text:
                self.opening = None
        if not self._inside:
            self._reasoning_over(self._call_at)
        return at

    def _end_call(self, at: int, closed: bool) -> None:
        if self.calls.open is not None:
            self.calls.end(at, closed)
            self.opening = None

    def _is_next_parameter(self, edge: Edge, found: re.Match[str], buffer: str, at: int) -> bool:
        """Whether an opener inside a value is the tool's next parameter, so that the value's closer is missing.

        Where the format begins parameters on a line of their own, only such an opener is.
        """
        if edge.leads and at == found.start():
            return False
        start, end = self.state.holes(found)["key"]
        return self.calls.expects(buffer[start:end].strip())

    def _open_parameter(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> None:
        base = self.output.base
        holes = self.state.holes(found)
        key_start, key_end = holes["key"]
        type_start, type_end = holes.get("type", (0, 0))
        self.calls.mark("markup", start, key_start, edge.label)
        self.calls.mark("argument", key_start, key_end, "key")
        self.calls.mark("markup", key_end, found.end(), edge.label)
        key, declared = buffer[key_start:key_end].strip(), buffer[type_start:type_end] or None
        self.calls.open_parameter(key, declared, base + start, base + found.end())

    def _read_call(self, buffer: str, place: int, ended: Ended) -> tuple[int, bool]:
        """Arguments decide themselves where they end; only when they are broken does a closing marker decide.

        Returns where to go on, and whether the rest has to wait.
        """
        calls = self.calls
        limit, found = len(buffer), None
        sound = not calls.malformed
        if not sound:
            limit, found = self.state.find(buffer, place, ended)
        if calls.decoder is None or self.state.channel == "arguments":
            stop = calls.read_arguments(buffer, place, limit)
        else:
            reading = Reading(calls, place, self._body_named)
            stop = calls.decoder.feed(buffer, place, limit, reading)
            reading.mark("markup", stop)
            if calls.decoder.broken:
                return self._broken(buffer, stop), False
        if calls.arguments_done:
            return self._over(buffer, stop), False
        if stop < limit and sound and not calls.malformed and stop == place:
            # What is left may become a closing marker, which isn't the decoder's to read.
            if not ended:
                return stop, True
            calls.mark("argument", stop, limit)
            return limit, True
        if stop < limit:
            return stop, False
        if found is None:
            return stop, True
        return self._cross(self.state.edge(found), found, buffer, stop), False

    def _over(self, buffer: str, stop: int) -> int:
        """The arguments or the body are over, and with them a call that has no closing marker."""
        if self.calls.ends_itself:
            opening = self.opening
            if opening is not None and self.calls.count == opening.count:
                return self._reject(buffer, stop)
            self._end_call(self.output.base + stop, closed=True)
            self.opening = None
        self._enter(self.state.over)
        return stop

    def _broken(self, buffer: str, stop: int) -> int:
        """The body isn't a call, or no longer one."""
        if self.calls.open is None and self.opening is not None:
            return self._reject(buffer, stop)
        if self.calls.ends_itself:
            self._end_call(self.output.base + stop, closed=False)
        self._enter(self.state.over)
        return stop

    # -- openings that were words --------------------------------------------------------------------------------

    def _reject(self, buffer: str, place: int) -> int:
        """No call can come of it: all since the opener is text of the state before it."""
        opening = self.opening
        assert opening is not None
        output = self.output
        text = "".join(opening.raw) + buffer[max(0, opening.seen - output.base) : place]
        text = text[max(0, -opening.start) :]
        self.opening = None
        self.calls.decoder = None
        self.soft = ()
        # What came after the opening may have gone on with the span before it.
        output.unmark(opening.spans, max(0, opening.start))
        name = _SETTLED.get(opening.parent.name, opening.parent.name)
        in_reasoning = name == "reasoning" and self.reasoning_open
        stays = in_reasoning or name in ("content.fence", "answer.text")
        self.state = self._machine[name if stays else "content"]
        words = self.state.layout(text, 0)
        text, self._again = text[:words], text[words:]
        if text:
            output.say(Reasoning(text) if in_reasoning else Content(text))
            if not in_reasoning and self.over_at is None:
                self.over_at = max(0, opening.start)
            start = max(0, opening.start) - output.base
            output.mark("reasoning" if in_reasoning else "content", start, start + len(text))
        if in_reasoning:
            self._accept_trial()
        return place

    # -- calls in open reasoning ---------------------------------------------------------------------------------

    def _begin_trial(self, start: int, raw: str, carry: str) -> None:
        output = self.output
        self.output = output.branch()
        self.trial = Trial(start, raw, carry, output, self.calls.on_trial(self.output))

    def _is_draft(self, trial: Trial, text: str) -> bool:
        """Whether reasoning is closed after all."""
        watched = trial.carry + text
        start, found = self._machine["draft"].find(watched, 0)
        if found is not None:
            return True
        trial.carry = watched[start:]
        trial.raw.own.append(text)
        return False

    def _back_to_reasoning(self, trial: Trial, text: str) -> str:
        """It was a draft: undo the trial; returns the text to read again, as reasoning."""
        self.trial = None
        self.output = trial.output
        self.calls.forget(trial.count, trial.output)
        self.state = self._machine["draft"]
        self.reasoning_open = True
        self.over_at = None
        self.opening = None
        self.soft = ()
        self.held = ""
        self.end = trial.start
        return "".join([*trial.raw, text])

    def _accept_trial(self) -> None:
        """What was on trial stands."""
        trial = self.trial
        if trial is None:
            return
        self.trial = None
        trial.output.join(self.output)
        self.output = trial.output
        self.calls.accept(trial.output)

    # -- the end -----------------------------------------------------------------------------------------------------

    def finish(self, reason: FinishReason) -> None:
        """The output is over: nothing can become a marker any more."""
        if reason == "length" and self.state.channel in ("content", "reasoning"):
            self._drop_cut_marker()
        self._advance("", "cut" if reason == "length" else "stop")
        if self.opening is not None and self.calls.open is None:
            self._reject("", 0)
        self._finish_call(reason)
        if self._again:
            self._advance("", "stop")
        self._accept_trial()
        if self.reasoning_open:
            self.output.note("unclosed_reasoning", self.end, self.end, "the output ended inside reasoning")

    def _drop_cut_marker(self) -> None:
        """A marker that was cut off is no text if it begins with a token of its own, which is never part of words."""
        held = self.held
        if self.opening is None and self._machine.special.match(held.lstrip()):
            self.output.base = self.end
            self.output.mark("markup", 0, len(held), "marker cut off")
            self.end += len(held)
            self.held = ""

    def _finish_call(self, reason: FinishReason) -> None:
        calls = self.calls
        if calls.open is None:
            return
        calls.settle()
        if reason in ("stop", "stop_string") and calls.complete and self._repair:
            self._end_call(self.end, closed=False)
        elif self._cut_to_text and self.opening is not None:
            calls.retract()
            self._reject("", 0)
        else:
            calls.cut(self.end)
            self.opening = None
