"""The vocabulary: what a model format can say. Read this module first.

A ``Format`` describes what a model's output *looks like*, as a small tree of frozen dataclasses. It holds no
functions and no transitions: the states of the parser, the constraint grammar and the documentation are derived
from it (``plan``, ``constrain``). Nothing here reads text; nothing here knows a model's name.

Literals
--------
Markers are written as *literals*: plain text with holes, for example ``"<function={name}>\\n"``.

* Holes: ``{name}`` and ``{id}`` of a call, ``{key}`` and ``{type}`` of a parameter, ``{index}`` (a number),
  ``{channel}`` and ``{recipient}`` of a message's header, and ``{suffix}``, what a checkpoint's vocabulary puts on its
  tags (``:opensource``; nothing is one too). Those that nothing uses are read and passed over. ``{line}`` is a line
  end that must be there. A brace that is meant as text is doubled: ``{{`` and ``}}``.
* A part that may be missing is written ``{?part}``; holes may stand in it.
* White space at the edges is *soft*: it belongs to the marker when it is there and isn't required. At most the white
  space that is written counts, everything beyond it is data.
* White space inside a literal is soft in length.
* Where a marker has several spellings, give a tuple of literals. The first is canonical: it is what a writer writes.
* Where one marker is the beginning of another, the longer one wins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Union

Spelling = Union[str, "tuple[str, ...]"]
"""One literal, or several spellings of it with the canonical one first."""


class FormatError(ValueError):
    """A format that can't work, or a name that isn't one. The message says what to change."""


def spellings(value: Spelling | None) -> tuple[str, ...]:
    """All spellings of a marker, canonical first; empty for ``None``."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def canonical(value: Spelling | None) -> str:
    """The spelling that a writer writes; ``""`` for ``None``."""
    every = spellings(value)
    return every[0] if every else ""


@dataclass(frozen=True)
class Reasoning:
    """A pair of markers around the model's thinking."""

    open: Spelling
    """The marker that opens reasoning, e.g. ``"<think>\\n"``."""
    close: Spelling
    """The marker that closes it, e.g. ``"\\n</think>\\n\\n"``."""
    opened_by: Literal["model", "prompt"] = "model"
    """Who writes the opener when thinking is on. ``"prompt"``: the chat template does, so the output starts inside."""
    default: bool = True
    """Whether the model thinks when neither the prompt's tail nor the request says so."""
    toggle: tuple[str, ...] = ()
    """Chat-template variables that switch thinking, the usual one first (e.g. ``enable_thinking``)."""
    reopens: bool = False
    """Whether an opener after the answer has begun opens reasoning again. Otherwise it is text."""
    calls: Literal["decide", "end", "text", "inside"] = "decide"
    """What a call marker in open reasoning means, unless the request says (``calls_in_reasoning``). ``"inside"``:
    calls stand in reasoning, which goes on after them."""
    promote: Literal["never", "off", "always"] = "never"
    """Whether reasoning becomes content at the end of an output that has no content and no call, unless the request
    says (``promote_reasoning``): ``"off"``, where the request switched thinking off and the model thought anyway."""


@dataclass(frozen=True)
class Answer:
    """Markers around the answer, which aren't part of it."""

    open: Spelling
    """The marker that opens the answer, e.g. ``"<response>\n"``. It also ends reasoning that is open."""
    close: Spelling
    """The marker that closes it."""
    anywhere: bool = False
    """Whether the opener counts wherever it stands, as in formats where all is framed. Otherwise only before the
    first word."""


@dataclass(frozen=True)
class Aside:
    """Markers around text that is for nobody, e.g. the results of a tool that a model made up. It is dropped."""

    open: Spelling
    """The marker that opens it."""
    close: Spelling
    """The marker that closes it."""


@dataclass(frozen=True)
class Json:
    """Arguments are one JSON object, passed through byte for byte."""


@dataclass(frozen=True)
class JsonCall:
    """The body is a JSON object that holds the name *and* the arguments, in either order."""

    name: tuple[str, ...] = ("name",)
    """Keys that may hold the function's name, canonical first."""
    arguments: tuple[str, ...] = ("arguments", "parameters")
    """Keys that may hold the arguments (an object, or a JSON string that holds one), canonical first."""
    id: tuple[str, ...] = ()
    """Keys that hold the call's id on the wire."""
    array: Literal["never", "allowed", "always"] = "allowed"
    """Whether the body may be (or always is) a JSON array of such objects."""
    keyed: bool = False
    """Whether the object has one key, which is the function's name, and the arguments for its value."""
    others: tuple[str, ...] | None = None
    """Other keys that such an object may have; with any further one it isn't a call. ``None``: any may stand there."""


@dataclass(frozen=True)
class Params:
    """Arguments are one element per parameter: raw text between an opener with ``{key}`` and a closer."""

    open: Spelling
    """Starts a parameter and names it, e.g. ``"<parameter={key}>\\n"``."""
    close: Spelling
    """Ends its value, e.g. ``"\\n</parameter>\\n"``."""
    untyped: Literal["string", "json"] = "string"
    """How a value is read when the tool's schema doesn't say: as a string, or as JSON where it is valid JSON."""
    unclosed: bool = True
    """Whether the next opener of a declared parameter at the start of a line also ends a value."""
    scalars: Literal["json", "python"] = "json"
    """How a writer spells booleans and null: ``true``/``null`` or ``True``/``None``. A reader takes both."""
    types: tuple[tuple[str, str], ...] = ()
    """What the words in a ``{type}`` hole mean: JSON schema's names of types, ``"json"``, whatever JSON it is, or
    ``"schema"``, the type in the tool's schema. A word that isn't listed means the type of that name."""
    strip: bool = False
    """Whether white space around a value is layout."""
    entities: bool = False
    """Whether XML's entities (``&lt;``) stand for their characters."""
    key_entities: bool = False
    """Whether they do in a parameter's key, as in an XML attribute."""


@dataclass(frozen=True)
class Nested:
    """Arguments are elements named after the parameters, elements inside them for objects and lists."""

    namespace: str
    """What stands before every tag, e.g. ``"]<]minimax[>["``."""
    item: str = "item"
    """The name of a list's elements."""


@dataclass(frozen=True)
class Gemma:
    """Arguments are an object with bare keys, and strings between two markers, without escapes."""

    quote: str
    """What stands on both sides of a string, e.g. ``'<|"|>'``."""


@dataclass(frozen=True)
class Python:
    """The body is Python calls with keyword arguments."""

    layout: Literal["list", "lines"] = "list"
    """``[f(a=1), g()]``, or one call a line."""


Codec = Union[Json, JsonCall, Params, Nested, Gemma, Python]
"""How a call's arguments are written: a closed, small set."""


@dataclass(frozen=True)
class Call:
    """One call: an opener, the arguments in their codec, and a closer."""

    open: Spelling | None
    """Starts a call, with ``{name}`` or ``{id}`` in it unless the codec is :class:`JsonCall` or :class:`Python`.
    ``None``: the body alone, at the start of the answer."""
    close: Spelling | None
    """Ends a call. ``None``: its arguments end themselves."""
    arguments: Codec
    """How the arguments are written."""
    id: Spelling | None = None
    """The shape of an ``{id}`` in the opener, from which the name is read, e.g. ``"functions.{name}:{index}"``. It
    isn't needed where the opener has a ``{name}`` too."""
    separator: Spelling | None = None
    """What stands between such a call and the next, where the opener isn't written again, e.g. ``"; "``."""


@dataclass(frozen=True)
class Tools:
    """Where calls stand: alone, or in a section with its own markers."""

    call: Call | tuple[Call, ...]
    """A call, or the shapes that calls have, the usual one first."""
    open: Spelling | None = None
    """Opens the section around calls, where the format has one."""
    close: Spelling | None = None
    """Closes the section."""
    section: Literal["shared", "per_call"] = "shared"
    """Whether parallel calls share one section or each is written in its own. Both are read."""
    optional: bool = False
    """Whether a call without the section's opener is read as a call too."""
    between: Literal["layout", "noise"] = "layout"
    """Text in the section and outside calls: ``"layout"``, only white space, anything else ends the section and is
    content; ``"noise"``, anything, and none of it is content."""


@dataclass(frozen=True)
class Turns:
    """Turn boundaries. They bound what of a prompt is the turn being generated, and never are content."""

    assistant: Spelling
    """What the chat template writes before the assistant's words, e.g. ``"<|im_start|>assistant\\n"``."""
    others: tuple[str, ...] = ()
    """Markers that open any other turn, e.g. ``"<|im_start|>"`` or ``"<|user|>"``."""
    ends: tuple[str, ...] = ()
    """Markers that end a turn. In the output they are markup."""
    headed: bool = False
    """Whether ``assistant`` is the beginning of the first message's own header, which the model goes on with."""


@dataclass(frozen=True)
class Signs:
    """What a format is recognised by: all that is given must hold. Alternatives are several of these."""

    template: tuple[str, ...] = ()
    """Texts that all stand in the model's chat template, as it would write them: ``\\n`` is a line end."""
    absent: tuple[str, ...] = ()
    """Texts none of which stands in the chat template."""
    vocabulary: tuple[str, ...] = ()
    """Tokens all of which were added to the model's vocabulary."""
    models: tuple[str, ...] = ()
    """Models, any of which it is. With ``*`` in it, for any characters, it is a pattern for names, e.g.
    ``"*qwen3-*"``; without, an architecture or a model type, word for word. The case doesn't matter. An architecture
    that writes several formats is no sign of one."""


@dataclass(frozen=True, eq=False)
class Format:
    """One model format. Two formats are the same only if they are the same object."""

    name: str
    """Lower case letters, digits and underscores."""
    turns: Turns
    reasoning: Reasoning | None = None
    tools: Tools | tuple[Tools, ...] | None = None
    """Where calls stand, and what they look like; several where models write them in several ways, the usual first."""
    answer: Answer | None = None
    asides: tuple[Aside, ...] = ()
    special: tuple[str, ...] = ()
    """Markers that are one token of their own in the model's vocabulary."""
    spelled: bool = False
    """Whether models of the family spell their special tokens with ordinary ones now and then, so that such text has
    to count as markup even where token ids say otherwise. Costs the protection against forged markers."""
    aliases: tuple[str, ...] = ()
    """Other names under which the format is known, e.g. parser names of vLLM and SGLang."""
    signs: tuple[Signs, ...] = ()
    """What it is recognised by (``detect``). Any of these is enough; those that hold are counted together."""
    source: str = ""
    """Where the facts come from: models, and what was read."""
    example: str = ""
    """A complete output with reasoning and a call, as such a model writes it when thinking is on."""
    compiled: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Machines built from this format, by variant (filled by ``machine.compile``)."""

    def __post_init__(self) -> None:
        from . import checks

        checks.check(self)


def frames(format: Format) -> tuple[Tools, ...]:
    """All the ways in which a format writes calls, the usual one first."""
    if format.tools is None:
        return ()
    return format.tools if isinstance(format.tools, tuple) else (format.tools,)


def shapes(tools: Tools) -> tuple[Call, ...]:
    """All the shapes of calls in a frame, the usual one first."""
    return tools.call if isinstance(tools.call, tuple) else (tools.call,)


def nearest(name: str, known: list[str]) -> str:
    """A half sentence that names the nearest valid choice: ``"; did you mean 'qwen3'?"``, or a list of all."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; choose one of {', '.join(known)}."
