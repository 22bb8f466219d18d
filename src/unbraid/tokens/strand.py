"""One strand, as an engine hands it over: ids, and the text that they decode to, which needn't arrive together.

Engines hold text back that may become a stop string or half a character, leave special tokens out of it, cut the stop
string off, or give no text at all. The rule: *ids say which special tokens are real, text says how far we may speak.*
The ids are decoded here as they come and wait in a queue; the text that arrives is matched against them, and what has
been matched is given to the machine, special tokens marked (``marked``). Where no text comes at all, the decoded ids
speak for themselves; where text comes without ids, all that it spells counts.

Where the two differ, the words are those of the text and the special tokens those of the ids. Nothing is said twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate, islice
from operator import index
from typing import Literal, NamedTuple

from ..events import Event, FinishReason
from ..literals import MARK
from ..log import Floats, Integers
from ..options import OptionError
from .detokenizer import REPLACEMENT, Detokenizer
from .marked import unmark, unmarked
from .vocabulary import Marking

_OWED_LIMIT = 512
"""So many characters of text that come before their ids are remembered."""
_LOOK_AHEAD = 6
"""So many ids may be missing from the text in a row."""
_NAN = float("nan")


class _Piece(NamedTuple):
    """What an id decodes to."""

    text: str
    """As it should stand in the engine's text."""
    kind: Literal["words", "special", "marker"]
    """``special``: the engine's text may be without it. ``marker``: that too, and the machine has to see it."""
    given: str
    """As the machine is given it."""
    id: int = -1
    """-1 for the rest of a character whose last id has been counted."""


class Strand:
    """The state of matching text and ids."""

    __slots__ = (
        "_came", "_decoding", "_heard", "_left_out", "_marking", "_owed", "_queue", "_spoken", "_unseen", "_words",
        "dropped", "ends", "held", "logprobs", "marks", "plain", "position", "texts",
    )  # fmt: skip

    def __init__(self, marking: Marking) -> None:
        self._marking = marking
        self._words = marking.words
        self._decoding = Detokenizer(marking)
        self._queue: deque[_Piece] = deque()
        """What the ids say and the text doesn't yet."""
        self._came = 0
        """How many ids came."""
        self._spoken = 0
        """How many pieces of the queue were said already, before there was any text."""
        self.held = ""
        """Text that came and may be part of a special token."""
        self._owed = ""
        """Text that was said before its ids came, as the machine was given it."""
        self._left_out: set[int] = set()
        """Special tokens that the engine leaves out of its text."""
        self.texts: Literal["none", "empty", "some"] = "none"
        """Whether text came with the ids."""
        self._heard = False
        """Whether any did."""
        self.position = 0
        """How many characters the machine was given."""
        self.plain = True
        """Whether nothing waits, so that words can be passed on as they come."""
        self.ends = Integers()
        """Where each token ends, in what the machine was given."""
        self.marks = Integers()
        """Where marks stand in it."""
        self.logprobs = Floats()
        """Log-probabilities of the ids; NaN for those that came without."""
        self.dropped: int | None = None
        """The first token whose text the engine cut off."""
        self._unseen = Integers()
        """Ids that were said before there was any text."""

    def take(self, text: str | None, ids: Sequence[int], logprobs: Sequence[float] | None = None) -> str:
        """Take what an engine hands over; returns what the machine may read now.

        Args:
            text: the text that came; ``None`` if none comes with these ids, which then speak for themselves.
            ids: the ids that came.
            logprobs: one for each id.

        Raises:
            OptionError: there are not as many log-probabilities as ids.
        """
        if self.plain:
            self._came = len(self.ends)
        if logprobs is not None:
            if len(logprobs) != len(ids):
                raise OptionError(f"{len(logprobs)} logprobs came with {len(ids)} ids; give one for each id")
            self.logprobs.own.extend([_NAN] * (self._came - len(self.logprobs)))
            self.logprobs.own.extend(logprobs)
        self._came += len(ids)
        for each in ids:
            for piece in self._pieces(self._decoding, index(each)):
                self._await(piece)
        out: list[str] = []
        if text is not None:
            self._text_came(text)
            self._match(self.held + text.replace(MARK, REPLACEMENT), out)
        elif self.texts == "none":
            self._unseen.own.extend(ids)
            self._say(out, len(self._queue))
        elif self.held:
            self._match(self.held, out)
        waits = self._queue or self.held or self._owed or self._decoding.waits
        self.plain = self.texts != "empty" and not waits
        return "".join(out)

    def passes(self, text: str | None, ids: Sequence[int]) -> str:
        """The text of these ids, if it is words that can be passed on as they come: what came is just that text, or no
        text ever came. They are counted then. Otherwise empty. Only where :attr:`plain` is true."""
        words = self._words
        heard = self._heard
        if len(ids) == 1:  # the usual case, by a shorter way
            said = words.get(ids[0], "")
            if not said or ((said != text) if heard else text is not None):
                return ""
            self.position = end = self.position + len(said)
            self.ends.own.append(end)
        else:
            texts = [words.get(id, "") for id in ids]
            said = "".join(texts)
            if "" in texts or ((said != text) if heard else text is not None):
                return ""
            self.ends.own.extend(islice(accumulate(map(len, texts), initial=self.position), 1, None))
            self.position += len(said)
        if not heard:
            self._unseen.own.extend(ids)
        return said

    def finish(self, reason: FinishReason) -> str:
        """No more comes; returns what the machine may still read.

        Text that didn't come although its ids did was cut off by the engine: a stop string. Only where the output was
        cut off itself is it words that the engine still owed.
        """
        out: list[str] = []
        rest = self._decoding.finish()
        if rest:
            self._queue.append(_Piece(rest, "words", rest))
        if self.held:
            held, self.held = self.held, ""
            if self._queue and self._queue[0].text.startswith(held):
                self._say(out, 1)
            else:
                self._give(out, held)
        queue = self._queue
        if self.texts != "some" or reason in ("length", "error"):
            self._say(out, len(queue))
        while queue and (queue[0].kind != "words" or not queue[0].text):
            self._pass(out)
        if queue:
            self.dropped = len(self.ends)
            self.ends.own.extend([self.position] * sum(piece.id >= 0 for piece in queue))
            queue.clear()
        return "".join(out)

    def fork(self) -> Strand:
        """An independent strand in the same state."""
        new = Strand.__new__(Strand)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        for name in ("ends", "marks", "logprobs", "_unseen"):
            setattr(new, name, getattr(self, name).fork())
        new._decoding, new._queue, new._left_out = self._decoding.copy(), self._queue.copy(), self._left_out.copy()
        return new

    def offset(self, position: int) -> int:
        """An offset in the output, for one in what the machine was given."""
        return position - self.marks.bisect(position)

    def clean(self, event: Event) -> Event:
        """An event of the machine without marks, and with the notes' offsets counted without them."""
        return unmarked(event, self.offset)

    def first_token(self, position: int) -> int:
        """The first token that begins at this position, or after it."""
        return 0 if position <= 0 else self.ends.bisect(position) + 1

    @property
    def counted(self) -> int:
        """Up to where it is known which tokens there are."""
        return self.ends.last(0)

    def logprobs_of(self, tokens: Sequence[int]) -> tuple[float, ...]:
        """The log-probabilities of some of the last tokens; empty if none were ever given."""
        if not self.logprobs or not tokens:
            return ()
        first = tokens[0]
        given = self.logprobs.since(first)
        return tuple(given[token - first] if token - first < len(given) else _NAN for token in tokens)

    def all_logprobs(self) -> tuple[float, ...]:
        """The log-probability of each token that has been said; empty if none were given."""
        if not self.logprobs:
            return ()
        size = len(self.ends)
        given = tuple(islice(self.logprobs, size))
        return given + (_NAN,) * (size - len(given))

    # -- ids ---------------------------------------------------------------------------------------------------------

    def _pieces(self, decoding: Detokenizer, id: int) -> list[_Piece]:
        """What the next id says, and what its forerunners still owed."""
        before, text = decoding.feed(id)
        marker = self._marking.special.get(id)
        if marker is not None:
            piece = _Piece(unmark(marker), "marker", marker, id)
        else:
            piece = _Piece(text, "special" if id in self._marking.vocabulary.added else "words", text, id)
        return [_Piece(before, "words", before), piece] if before else [piece]

    def _await(self, piece: _Piece) -> None:
        """A piece waits for its text, unless that was said already."""
        if self._owed:
            owed = _without(self._owed, piece.text)
            if owed is not None:
                self._owed = owed
                self._count(piece, self.position - len(owed))
                return
            self._owed = ""
        self._queue.append(piece)

    def _count(self, piece: _Piece, end: int) -> None:
        """A piece was consumed: its token ends here."""
        ends = self.ends
        if piece.id >= 0:
            ends.own.append(end)
        elif ends:
            ends.own_last()
            ends.own[-1] = end

    # -- saying ------------------------------------------------------------------------------------------------------

    def _give(self, out: list[str], text: str) -> None:
        out.append(text)
        self.position += len(text)

    def _say(self, out: list[str], pieces: int) -> None:
        """The next so many pieces, as the ids say them."""
        for _ in range(pieces):
            piece = self._queue.popleft()
            if self._spoken:
                self._spoken -= 1
                continue
            if piece.kind == "marker" and piece.given != piece.text:
                self.marks.own.append(self.position)
            self._give(out, piece.given)
            self._count(piece, self.position)

    def _pass(self, out: list[str]) -> None:
        """The next piece isn't in the text. The machine has to see it only if it is a marker."""
        piece = self._queue[0]
        if piece.kind == "marker":
            self._say(out, 1)
            return
        self._done(piece)

    def _done(self, piece: _Piece) -> None:
        """The next piece leaves the queue; what it says was said, or never is."""
        self._queue.popleft()
        if self._spoken:
            self._spoken -= 1
        else:
            self._count(piece, self.position)

    # -- text --------------------------------------------------------------------------------------------------------

    def _text_came(self, text: str) -> None:
        """Once there is text, ids wait for theirs. What was said before may come once more, or may not."""
        if self.texts == "some":
            return
        self.texts = "some" if text else "empty"
        self._heard = bool(text)
        if not (text and self._unseen):
            return
        decoding = Detokenizer(self._marking)
        unseen = [piece for id in self._unseen for piece in self._pieces(decoding, id)]
        self._unseen = Integers()
        said = "".join(piece.text for piece in unseen).lstrip()[:_OWED_LIMIT]
        if _common(said, text.lstrip()) in (len(said), len(text.lstrip())):
            self._queue.extendleft(reversed(unseen))
            self._spoken = len(unseen)

    def _match(self, text: str, out: list[str]) -> None:
        """Say the pieces that the text holds."""
        queue = self._queue
        self.held = ""
        while text and queue:
            piece = queue[0]
            if text.startswith(piece.text) and piece.id not in self._left_out:
                self._say(out, 1)
                text = text[len(piece.text) :]
            elif piece.kind != "words":
                if piece.text.startswith(text) and piece.id not in self._left_out:
                    self.held = text
                    return
                self._left_out.add(piece.id)
                self._pass(out)
            else:
                text = self._match_words(piece, text, out)
        if text:
            self._spell(text, out)
        while queue and (not queue[0].text or queue[0].id in self._left_out):
            self._pass(out)

    def _match_words(self, piece: _Piece, text: str, out: list[str]) -> str:
        """Ordinary text that isn't just the piece; returns what of it is left."""
        same = _common(piece.text, text)
        if same:
            self._advance(piece, same, text[:same], out)
            return text[same:]
        for place in range(1, min(_LOOK_AHEAD, len(self._queue))):
            if (there := self._queue[place].text) and text.startswith(there[:8]):
                for _ in range(place):
                    self._pass(out)
                return text
        written, decoded = text[0], piece.text[0]
        if decoded.isspace() and not written.isspace():
            self._advance(piece, 1, "", out)
            return text
        if written.isspace() and not decoded.isspace():
            self._give(out, written)
            return text[1:]
        # The text's own characters, one for one; a run of replacement characters for another.
        taken = max(1, len(text) - len(text.lstrip(REPLACEMENT)))
        passed = max(1, len(piece.text) - len(piece.text.lstrip(REPLACEMENT)))
        self._advance(piece, passed, text[:taken], out)
        return text[taken:]

    def _advance(self, piece: _Piece, characters: int, text: str, out: list[str]) -> None:
        """So many characters of the next piece are done; the text has these in their place."""
        if not self._spoken:
            self._give(out, text)
        rest = piece.text[characters:]
        if rest:
            self._queue[0] = piece._replace(text=rest, given=rest)
            return
        self._done(piece)

    def _spell(self, text: str, out: list[str]) -> None:
        """Text of which no ids are known."""
        clear, self.held = self._marking.speller.split(text)
        marks = self.marks.own
        at = clear.find(MARK)
        while at >= 0:
            marks.append(self.position + at)
            at = clear.find(MARK, at + 1)
        self._give(out, clear)
        self._owed = (self._owed + clear)[-_OWED_LIMIT:]


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    least, most = 0, min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    while least + 1 < most:
        middle = (least + most) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle
    return least


def _without(owed: str, text: str) -> str | None:
    """What is left of the owed text after this one; ``None`` if it doesn't begin with it."""
    at = 0
    for character in text:
        if owed[at : at + 1] == MARK:
            at += 1
        if owed[at : at + 1] != character:
            return None
        at += 1
    return owed[at:]
