"""A format as a Markdown page, and the table of all of them. Every sentence comes from the format's own data."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from ..constrain.gbnf import unwritable
from ..events import Span
from ..explain import reason
from ..format import Call, Format, Python, Signs, canonical, frames, shapes
from ..message import Message
from ..parser import parse
from ..plan import plan
from ..registry import formats, origin
from ..table import Plan
from .diagram import draw
from .words import code, fenced, markers, shortened

_NOTATIONS = {
    "Json": "JSON",
    "JsonCall": "JSON that holds the name",
    "Params": "an element per parameter",
    "Nested": "nested elements",
    "Gemma": "Gemma's objects",
    "Python": "Python calls",
}
_INSIDE = {
    "decide": "is decided by what follows it",
    "end": "ends reasoning",
    "text": "is text",
    "inside": "is a call, and reasoning goes on after it",
}
_PROMOTED = {
    "never": "stays reasoning",
    "off": "becomes content if the request switched thinking off",
    "always": "becomes content",
}
_LONGEST_CELL = 72


def shipped() -> list[Format]:
    """The shipped formats, those that have pages, in alphabetical order."""
    every = ((each, origin(each)) for each in formats().values())
    return [each for each, found in every if found is not None and found.distribution is None]


def pages() -> dict[str, str]:
    """The text of every file, by its name."""
    files = {"README.md": _index(shipped())}
    for each in shipped():
        files[f"{each.name}.md"] = page(each)
        files[f"{each.name}.svg"] = draw(each.name, plan(each))
    return files


def write(directory: Path) -> list[Path]:
    """Write all files into a directory, and remove pages of formats that are no more; the files written.

    Raises:
        OSError: the directory can't be written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    files = pages()
    for old in directory.iterdir():
        if old.suffix in (".md", ".svg") and old.name not in files:
            old.unlink()
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
    return [directory / name for name in files]


def page(format: Format) -> str:
    """The page of one format."""
    parts = [
        f"# {format.name}",
        _about(format),
        *([f"**Source.** {format.source}"] if format.source else []),
        *([f"**Also called** {', '.join(map(code, format.aliases))}."] if format.aliases else []),
        "## The states",
        "Each box is a state: where text goes, and the markers that are listened to. A wire leads to the state after "
        "a marker, a loop stays. Reading begins at a ▶, as the prompt or the request says.",
        f"![The states of {format.name}]({format.name}.svg)",
        "<details><summary>The same as a table</summary>",
        _states(plan(format)),
        "</details>",
        *_example(format),
        "## Thinking",
        _thinking(format),
        "## Calls",
        _calls(format),
        *_recognised(format),
        "## What it can't do",
        _limits(format),
        *_description(format),
    ]
    return "\n\n".join(parts) + "\n"


# -- the table of all -------------------------------------------------------------------------------------------------


def _index(every: list[Format]) -> str:
    rows = [
        [
            f"[{each.name}]({each.name}.md)",
            _cell(_about(each, first=True)),
            _pair(each) or "none",
            _notation(each),
            ", ".join(map(code, each.aliases)),
        ]
        for each in every
    ]
    return (
        "\n\n".join(
            [
                "# The formats",
                f"The {len(every)} formats that unbraid ships. These pages are written from the formats themselves "
                "(`make docs`); a test compares them. For one that isn't here, see [new-format.md](../new-format.md).",
                _table(["Format", "Models", "Reasoning", "Calls", "Also called"], rows),
            ]
        )
        + "\n"
    )


def _about(format: Format, *, first: bool = False) -> str:
    """The docstring of a format's module, or the first sentence of it."""
    found = origin(format)
    told = inspect.cleandoc(import_module(found.module).__doc__ or "") if found is not None else ""
    told = told.replace("``", "`")
    if not first:
        return told or "It has no description."
    sentence = re.split(r"(?<=\.)\s", " ".join(told.split()), maxsplit=1)[0]
    return sentence.removesuffix(".")


def _pair(format: Format) -> str:
    reasoning = format.reasoning
    if reasoning is None:
        return ""
    return f"{code(canonical(reasoning.open).strip())} {code(canonical(reasoning.close).strip())}"


def _notation(format: Format) -> str:
    every = [_NOTATIONS[type(call.arguments).__name__] for frame in frames(format) for call in shapes(frame)]
    return ", or ".join(dict.fromkeys(every)) or "none"


# -- parts of a page --------------------------------------------------------------------------------------------------


def _states(table: Plan) -> str:
    rows = []
    for name, row in table.items():
        for edge in row.edges:
            listened = " ".join(code(shortened(each, _LONGEST_CELL)) for each in markers(edge))
            rows.append([code(name), row.channel, listened, edge.label, edge.do.value, code(edge.to)])
        if row.over:
            rows.append([code(name), row.channel, "", "arguments over", "", code(row.over)])
    return _table(["State", "Text is", "Marker", "What it is", "What it does", "Next"], rows)


def _example(format: Format) -> list[str]:
    if not format.example:
        return []
    message = parse(format.example, format, thinking=format.reasoning is not None, new_call_id=lambda: "call_1")
    rows = [
        [str(span.start), _kind(span, len(message.tool_calls)), code(shortened(_text(format, span), _LONGEST_CELL))]
        for span in message.spans
    ]
    return [
        "## An example",
        f"What such a model writes{' when thinking is on' if format.reasoning else ''}:",
        fenced(format.example),
        "How unbraid separates it:",
        _table(["At", "Part", "Text"], rows),
        "The message:",
        _table(["Part", "Value"], list(_message(message))),
    ]


def _text(format: Format, span: Span) -> str:
    return format.example[span.start : span.end]


def _kind(span: Span, calls: int) -> str:
    return f"_{_cell(reason([span], calls))}_" if span.kind == "markup" else f"**{_cell(reason([span], calls))}**"


def _message(message: Message) -> Iterator[list[str]]:
    for name, text in (("reasoning", message.reasoning), ("content", message.content)):
        yield [name, code(text) if text is not None else "none"]
    for call in message.tool_calls:
        yield ["call", f"{code(call.name)} with {code(call.arguments)}"]


def _thinking(format: Format) -> str:
    reasoning = format.reasoning
    if reasoning is None:
        return "Models of this format write no reasoning of their own."
    opens = "the chat template, so the output starts inside" if reasoning.opened_by == "prompt" else "the model"
    switches = ", ".join(map(code, reasoning.toggle)) or "nothing in the chat template"
    reopens = "opens reasoning again" if reasoning.reopens else "is text"
    return _list(
        [
            f"Markers: {_spelled(reasoning.open)} to {_spelled(reasoning.close)}.",
            f"The opener is written by {opens}.",
            f"Unless the prompt or the request says so, the model {'thinks' if reasoning.default else 'does not think'}"
            f"; switched by {switches}.",
            f"An opener after the answer has begun {reopens}.",
            f"A call's marker in open reasoning {_INSIDE[reasoning.calls]}.",
            f"Reasoning without any answer {_PROMOTED[reasoning.promote]}.",
        ]
    )


def _calls(format: Format) -> str:
    lines = []
    for frame in frames(format):
        if frame.open is not None:
            needed = ", which may be missing" if frame.optional else ""
            shared = "parallel calls share one" if frame.section == "shared" else "each call has its own"
            lines.append(f"A section {_spelled(frame.open)} to {_spelled(frame.close)}{needed}; {shared}.")
        lines += [_call(call) for call in shapes(frame)]
    return _list(lines) if lines else "The format has no calls."


def _call(call: Call) -> str:
    opens = _spelled(call.open) if call.open is not None else "the first word of the answer"
    closes = _spelled(call.close) if call.close is not None else "the end of its arguments"
    codec = call.arguments
    more = f" ({codec.layout})" if isinstance(codec, Python) else ""
    return f"A call: {opens} to {closes}, with {_NOTATIONS[type(codec).__name__]}{more}."


def _recognised(format: Format) -> list[str]:
    if not format.signs:
        return []
    return ["## How it is recognised", "By any of these:", _list([_sign(each) for each in format.signs])]


def _sign(signs: Signs) -> str:
    kinds = (
        ("the chat template has", signs.template),
        ("it doesn't have", signs.absent),
        ("the vocabulary has", signs.vocabulary),
        ("the model is", signs.models),
    )
    return "; ".join(f"{what} {', '.join(map(code, given))}" for what, given in kinds if given)


def _limits(format: Format) -> str:
    lines = []
    if format.tools is not None:
        why = unwritable(format)
        lines.append(f"No grammar that constrains its calls can be written: {why}." if why else "")
    if format.tools is None:
        lines.append("Calls: the format doesn't have any, and what looks like one is content.")
    if format.reasoning is None:
        lines.append("Reasoning: what a model thinks aloud is content.")
    if not format.special:
        lines.append(
            "None of its markers is known to be a token of its own, so `lint --tokenizer` has little to check."
        )
    lines = [line for line in lines if line]
    return (
        _list(lines) if lines else "No limit shows in its data: reasoning, calls, and a grammar that constrains them."
    )


def _description(format: Format) -> list[str]:
    found = origin(format)
    if found is None:
        return []
    return ["## The description", fenced(inspect.getsource(import_module(found.module)).strip(), "python")]


# -- Markdown ---------------------------------------------------------------------------------------------------------


def _spelled(spelling: str | tuple[str, ...] | None) -> str:
    return code(canonical(spelling).strip()) if spelling is not None else "nothing"


def _cell(text: str) -> str:
    return text.replace("<", "&lt;")


def _list(lines: list[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _table(head: list[str], rows: list[list[str]]) -> str:
    bar = "\\|"
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', bar) for cell in line)} |" for line in lines)
