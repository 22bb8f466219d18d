"""The command line: what it prints, and that each wrong input is one sentence and exit code 2."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unbraid
from unbraid.cli import main, pieces

TEXT = (
    "<think>\nA train to Graz.\n</think>\n\nOn it.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>'
)
CODER = "<tool_call>\n<function=find_trains>\n<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>"
FUNCTION = {
    "name": "find_trains",
    "parameters": {"type": "object", "properties": {"seats": {"type": "integer"}}},
}


class Ran:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Runs a command in this process, in an empty directory that holds ``reply.txt``."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    Path("reply.txt").write_text(TEXT, newline="")

    def ran(*arguments: str, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="ascii"))
        try:
            code = main(arguments)
        except SystemExit as exit:  # --help and --version
            code = int(exit.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    yield ran


def process(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    source = str(Path(unbraid.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, **options.pop("env", {})}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "unbraid", *arguments],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment,
        **options,
    )


# ------------------------------------------------------------ parse


def test_parse_prints_the_message(run: Any) -> None:
    ran = run("parse", "--format", "qwen3", "reply.txt")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.json == {
        "reasoning": "A train to Graz.",
        "content": "On it.",
        "tool_calls": [{"id": "call_1", "name": "find_trains", "arguments": '{"to": "Graz", "seats": 2}'}],
        "incomplete_calls": [],
        "notes": [],
        "reasoning_closed": True,
        "finish_reason": "stop",
    }


def test_parse_reads_stdin_as_utf_8_with_its_line_ends(run: Any) -> None:
    for name in ((), ("-",)):
        ran = run("parse", "-f", "qwen3", *name, stdin="Grüß\r\nGott 日".encode())
        assert ran.json["content"] == "Grüß\r\nGott 日"


def test_a_file_keeps_its_line_ends(run: Any) -> None:
    Path("crlf.txt").write_bytes(b"a\r\nb\rc\n")
    assert run("parse", "-f", "qwen3", "crlf.txt").json["content"] == "a\r\nb\rc\n"


def test_spans_tile_the_text(run: Any) -> None:
    spans = run("parse", "-f", "qwen3", "--spans", "reply.txt").json["spans"]
    assert [span["start"] for span in spans] == [0] + [span["end"] for span in spans[:-1]]
    assert spans[-1]["end"] == len(TEXT)
    assert spans[0]["label"] == "reasoning open"


@pytest.mark.parametrize("cut", ["chars", "tokens", "1", "7", "10000"])
def test_any_cut_gives_the_same_message(run: Any, cut: str) -> None:
    whole = run("parse", "-f", "qwen3", "--spans", "reply.txt")
    assert run("parse", "-f", "qwen3", "--spans", "--cut", cut, "reply.txt").out == whole.out


def test_events_are_json_lines_that_add_up(run: Any) -> None:
    events = run("parse", "-f", "qwen3", "--events", "--cut", "tokens", "reply.txt").lines
    assert events[0] == {"type": "reasoning_start"}
    assert events[-1] == {"type": "finish", "reason": "stop", "notes": []}
    words = [event["text"] for event in events if event["type"] == "reasoning"]
    assert len(words) > 2, "one delta a token"
    assert "".join(words) == "A train to Graz."
    arguments = [event["json"] for event in events if event["type"] == "tool_call_arguments"]
    assert "".join(arguments) == '{"to": "Graz", "seats": 2}'


def test_tools_give_types_in_each_accepted_shape(run: Any) -> None:
    Path("coder.txt").write_text(CODER)
    for tool in (FUNCTION, {"type": "function", "function": FUNCTION}):
        Path("tools.json").write_text(json.dumps([tool]))
        ran = run("parse", "-f", "qwen3_coder", "--tools", "tools.json", "coder.txt")
        assert json.loads(ran.json["tool_calls"][0]["arguments"]) == {"seats": 2}
    Path("coder.txt").write_text(CODER.replace("2", "2.0"))
    for typing, seats in (("schema", 2), ("vllm", 2.0), ("sglang", "2.0")):
        ran = run("parse", "-f", "qwen3_coder", "--tools", "tools.json", "--typing", typing, "coder.txt")
        assert ran.json["tool_calls"][0]["arguments"] == json.dumps({"seats": seats})
    Path("coder.txt").write_text(CODER)
    untyped = run("parse", "-f", "qwen3_coder", "coder.txt")
    assert json.loads(untyped.json["tool_calls"][0]["arguments"]) == {"seats": "2"}


def test_prompt_and_thinking_decide_where_the_output_starts(run: Any) -> None:
    Path("answer.txt").write_text("Two seats.")
    Path("prompt.txt").write_text("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n")
    prompt = Path("prompt.txt").read_text()
    for given in (prompt, "@prompt.txt"):
        ran = run("parse", "-f", "qwen3", "--prompt", given, "answer.txt")
        assert (ran.json["reasoning"], ran.json["content"]) == ("Two seats.", None)
    assert run("parse", "-f", "kimi_k2", "--thinking", "answer.txt").json["reasoning"] == "Two seats."
    assert run("parse", "-f", "kimi_k2", "--no-thinking", "answer.txt").json["content"] == "Two seats."
    assert run("parse", "-f", "qwen3", "--prompt", "@@x", "answer.txt").json["content"] == "Two seats."


def test_finish_says_whether_a_call_was_cut(run: Any) -> None:
    Path("cut.txt").write_text(TEXT.partition(', "seats"')[0])
    ran = run("parse", "-f", "qwen3", "--finish", "length", "cut.txt")
    assert ran.json["tool_calls"] == []
    (call,) = ran.json["incomplete_calls"]
    assert call["arguments"] == '{"to": "Graz"'
    assert [note["kind"] for note in call["notes"]] == ["incomplete"]
    assert ran.json["finish_reason"] == "length"


def test_events_come_while_the_input_is_open() -> None:
    """What a pipe has brought is said before it brings more, also half a character."""
    with process("parse", "-f", "qwen3", "--events") as running:
        assert running.stdin is not None and running.stdout is not None
        running.stdin.write("Grüß".encode()[:-1])
        running.stdin.flush()
        assert json.loads(running.stdout.readline()) == {"type": "content", "text": "Grü"}
        running.stdin.write("ß".encode()[-1:])
        running.stdin.close()
        assert json.loads(running.stdout.readline()) == {"type": "content", "text": "ß"}
        assert json.loads(running.stdout.readline())["type"] == "finish"


# ------------------------------------------------------------ pieces


@pytest.mark.parametrize("cut", [None, "chars", "tokens", 1, 3, 1000])
@pytest.mark.parametrize("text", ["", TEXT, "  \n\n\t x__y 12345 naïveté… 日本語日本語日本語\r\n<|a|>\x00" * 3])
def test_pieces_are_the_text(text: str, cut: str | int | None) -> None:
    found = list(pieces(text, cut))
    assert "".join(found) == text
    assert all(found)


def test_tokens_are_about_four_characters() -> None:
    text = Path(unbraid.__file__).with_name("format.py").read_text()
    found = list(pieces(text, "tokens"))
    assert 3.2 < len(text) / len(found) < 4.8
    assert max(map(len, found)) <= 16


# ------------------------------------------------------------ formats and explain


def test_formats_are_listed_with_an_example(run: Any) -> None:
    ran = run("formats")
    for name, each in unbraid.formats().items():
        assert re.search(rf"^{name}\b", ran.out, re.MULTILINE)
        assert all(alias in ran.out for alias in each.aliases)
        assert all(line in ran.out for line in each.example.splitlines())
    assert "\x1b" not in ran.out


def test_formats_as_json(run: Any) -> None:
    listed = {each["name"]: each for each in run("formats", "--json").json}
    assert set(listed) == set(unbraid.formats())
    assert listed["qwen3"]["example"] == unbraid.resolve("qwen3").example
    assert all(each["about"] and each["source"] for each in listed.values())


def test_explain_gives_each_marker_its_reason(run: Any) -> None:
    ran = run("explain", "-f", "qwen3", "reply.txt")
    assert ran.code == 0
    assert re.search(r"^ +0  \[reasoning open\] +│ <think>⏎$", ran.out, re.MULTILINE)
    assert re.search(r"^ +\d+   tool name +│ find_trains$", ran.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ((), {}, False),  # not a terminal
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {}, False),
    ],
)
def test_color(
    run: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], environment: dict[str, str], coloured: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("explain", "-f", "qwen3", *arguments, "reply.txt").out) is coloured
    assert ("\x1b[" in run("formats", *arguments).out) is coloured


@pytest.mark.parametrize(
    ("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_color_on_a_terminal(
    run: Any, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert ("\x1b[" in run("explain", "-f", "qwen3", "reply.txt").out) is coloured


def test_an_ascii_output_gets_ascii(tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text("Grüß <tool_call>", encoding="utf-8")
    for command in ("parse", "explain"):
        with process(command, "-f", "qwen3", "reply.txt", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"}) as running:
            out, err = running.communicate(timeout=30)
        assert running.returncode == 0, err
        assert out.isascii()
        if command == "parse":
            assert json.loads(out)["content"] == "Grüß <tool_call>"


# ------------------------------------------------------------ wrong input


WRONG = {
    "command": (("pars", "reply.txt"), "there is no command 'pars'; did you mean 'parse'?"),
    "no command": (("--tools", "x"), "there is no command 'x'"),
    "option": (("parse", "--evnts"), "unbraid parse has no option --evnts; did you mean '--events'?"),
    "no format": (("parse", "reply.txt"), "--format is missing; choose one of "),
    "format": (("parse", "-f", "qwen3_codr", "reply.txt"), "did you mean 'qwen3_coder'?"),
    "format of explain": (("explain", "-f", "kimi_k2_", "reply.txt"), "did you mean 'kimi_k2'?"),
    "format of serve": (("serve", "-f", "qwen3_codr"), "did you mean 'qwen3_coder'?"),
    "no value": (("parse", "--format"), "expected one argument"),
    "two files": (("parse", "-f", "qwen3", "reply.txt", "b.txt"), "can't take 'b.txt' too"),
    "file": (("parse", "-f", "qwen3", "replay.txt"), "there is no file 'replay.txt'; did you mean 'reply.txt'?"),
    "folder": (("parse", "-f", "qwen3", "nowhere/reply.txt"), "no directory 'nowhere'"),
    "directory": (("parse", "-f", "qwen3", "."), "'.' is a directory"),
    "null file": (("parse", "-f", "qwen3", "a\0b"), "can't be read"),
    "cut": (("parse", "-f", "qwen3", "--cut", "token", "reply.txt"), "did you mean 'tokens'?"),
    "cut 0": (("parse", "-f", "qwen3", "--cut", "0", "reply.txt"), "chars, tokens, or a number from 1."),
    "cut -1": (("parse", "-f", "qwen3", "--cut", "-1", "reply.txt"), "chars, tokens, or a number from 1."),
    "finish": (("parse", "-f", "qwen3", "--finish", "lenght", "reply.txt"), "did you mean 'length'?"),
    "typing": (
        ("explain", "-f", "qwen3", "--typing", "vlm", "reply.txt"),
        "--typing can't be 'vlm'; did you mean 'vllm'?",
    ),
    "color": (("formats", "--color", "allways"), "did you mean 'always'?"),
    "prompt file": (("parse", "-f", "qwen3", "--prompt", "@p.txt", "reply.txt"), "there is no file 'p.txt'"),
    "port": (("serve", "--port", "http"), "--port takes a number, not 'http'."),
    "port range": (("serve", "--port", "99999"), "65535"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_sentence(run: Any, arguments: tuple[str, ...], said: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert re.fullmatch(r"unbraid: [^\n]+[.?]\n", ran.err), ran.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[\n{"name": "f"},\n{"name" "g"}]', "tools.json is not valid JSON at line 3, column 9"),
        (b"", "tools.json is not valid JSON at line 1, column 1"),
        (b'{"tools": [{"name": "f"}]}', "give its list 'tools' alone"),
        (b'{"name": "f"}', "tools.json must hold a JSON list of tools"),
        (b'[{"name": "f"}, {"function": {}}]', "tool 2 in tools.json has no name"),
        (b'["f"]', "tool 1 in tools.json has no name"),
        (b"[" * 100_000, "tools.json"),
        (b'[{"name": "\xff"}]', "tools.json is not UTF-8 text: byte 0xff in line 1."),
    ],
)
def test_wrong_tools_are_one_sentence(run: Any, content: bytes, said: str) -> None:
    Path("tools.json").write_bytes(content)
    ran = run("parse", "-f", "qwen3", "--tools", "tools.json", "reply.txt")
    assert ran.code == 2
    assert said in ran.err
    assert re.fullmatch(r"unbraid: [^\n]+[.?]\n", ran.err), ran.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a\nb\xff", "byte 0xff in line 2."),
        (b"\n\n" + "ü".encode()[:1], "byte 0xc3 in line 3."),
        ("a".encode("utf-16"), "byte 0xff in line 1."),
    ],
)
def test_what_is_not_utf_8_is_one_sentence(run: Any, content: bytes, said: str) -> None:
    Path("reply.txt").write_bytes(content)
    for command in ("parse", "explain"):
        ran = run(command, "-f", "qwen3", "reply.txt")
        assert (ran.code, ran.out, ran.err) == (2, "", f"unbraid: reply.txt is not UTF-8 text: {said}\n")
        ran = run(command, "-f", "qwen3", stdin=content)
        assert (ran.code, ran.out, ran.err) == (2, "", f"unbraid: stdin is not UTF-8 text: {said}\n")


@pytest.mark.skipif(os.name != "posix" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_that_may_not_be_read_is_one_sentence(run: Any) -> None:
    Path("reply.txt").chmod(0)
    ran = run("parse", "-f", "qwen3", "reply.txt")
    assert (ran.code, ran.err) == (2, "unbraid: 'reply.txt' can't be read: Permission denied.\n")


def test_a_server_without_its_packages_is_one_sentence(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.startswith(("unbraid.server.app", "unbraid.server.engines")):
            monkeypatch.delitem(sys.modules, name)
    for name in ("starlette", "xllamacpp", "uvicorn", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    ran = run("serve", "--port", "0")
    assert ran.code == 2
    assert 'pip install "unbraid[server,llama]"' in ran.err
    assert re.fullmatch(r"unbraid: [^\n]+\n", ran.err), ran.err


def test_serve_passes_on_what_it_is_told(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import unbraid.server

    served: list[Any] = []
    monkeypatch.setattr(unbraid.server, "serve", served.append)
    told = ["--host", "::1", "--port", "0", "--format", "glm45", "--model", "m.gguf", "--api-key", "k"]
    told += ["--chat-template", "t.jinja", "--threads", "3", "--context", "99", "--parallel", "2", "--typing", "vllm"]
    assert run("serve", *told).code == 0
    assert run("serve").code == 0
    given, default = served
    assert (given.host, given.port, given.api_key) == ("::1", 0, "k")
    assert unbraid.resolve(given.format) is unbraid.resolve("glm47")
    assert (given.model, given.chat_template) == (Path("m.gguf"), Path("t.jinja"))
    assert (given.threads, given.context, given.parallel, given.typing) == (3, 99, 2, "vllm")
    assert default == unbraid.server.Options()


# ------------------------------------------------------------ help, version, and how it ends


@pytest.mark.parametrize("command", [(), ("parse",), ("formats",), ("explain",), ("serve",)])
def test_every_help_has_an_example(run: Any, command: tuple[str, ...]) -> None:
    ran = run(*command, "--help")
    assert ran.code == 0
    assert re.search(r"^example:\n  .*unbraid ", ran.out, re.MULTILINE)


def test_no_arguments_show_the_help(run: Any) -> None:
    assert run().out == run("--help").out


def test_version(run: Any) -> None:
    assert run("--version").out == f"unbraid {unbraid.__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
def test_a_reader_that_goes_away_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("word " * 200_000)
    with process("parse", "-f", "qwen3", "--events", "--cut", "chars", "long.txt", cwd=tmp_path) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")
def test_ctrl_c_is_quiet() -> None:
    with process("parse", "-f", "qwen3", "--events") as running:
        assert running.stdin is not None and running.stdout is not None and running.stderr is not None
        running.stdin.write(b"Hello")
        running.stdin.flush()
        running.stdout.readline()
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        running.wait(30)
        assert running.stderr.read() == b""
    assert running.returncode == 130


def test_an_unread_server_is_not_imported(tmp_path: Path) -> None:
    """``unbraid parse`` starts quickly: it loads neither the server nor what draws and serves."""
    program = (
        "import sys; from unbraid.cli import main; main(['parse', '-f', 'qwen3', 'reply.txt']); "
        "print([m for m in sys.modules if m.startswith(('unbraid.server', 'unbraid.explain', 'asyncio', 'jinja2'))])"
    )
    (tmp_path / "reply.txt").write_text(TEXT)
    source = str(Path(unbraid.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"
