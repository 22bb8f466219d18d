"""Formats from files: a file says what the dataclasses would say, and each mistake is one sentence with a line."""

from __future__ import annotations

import json
import sys
from dataclasses import fields, is_dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid import FormatError, load
from unbraid.cli import main
from unbraid.format import Format, Json, JsonCall
from unbraid.lines import lines
from unbraid.load import is_file, loads

EXAMPLE = Path(__file__).parent.parent / "docs/examples/mine.toml"
MINIMAL = 'name = "mine"\nturns.assistant = "<|a|>"\n'
needs_toml = pytest.mark.skipif(
    sys.version_info < (3, 11) and find_spec("tomli") is None, reason="needs Python 3.11 or tomli"
)


def plain(value: Any) -> Any:
    """A format as the data of a JSON file: the other way round, written anew for these tests."""
    if is_dataclass(value):
        told = {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.init}
        told = {key: each for key, each in told.items() if each is not None}
        name = type(value).__name__
        codecs = {"Json": "json", "JsonCall": "json_call", "Params": "params"}
        codecs |= {"Gemma": "gemma", "Nested": "nested", "Python": "python"}
        return {"codec": codecs[name], **told} if name in codecs else told
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def same(one: Format, other: Format) -> bool:
    """Whether two formats say the same, their names aside."""
    names = [field.name for field in fields(Format) if field.init and field.name not in ("name", "aliases", "source")]
    return all(getattr(one, name) == getattr(other, name) for name in names)


@needs_toml
def test_the_example_is_qwen3_coder() -> None:
    mine, shipped = load(EXAMPLE), unbraid.resolve("qwen3_coder")
    assert mine.name == "mine"
    assert mine.signs
    assert same(mine, replace(shipped, signs=mine.signs))


PIECES = st.sampled_from(
    [
        "<think>",
        "\n</think>\n\n",
        "<tool_call>\n",
        "<function=f>\n",
        "<parameter=a>\n",
        "1",
        "\n</parameter>\n",
        "</function>\n",
        "</tool_call>",
        "<|im_end|>",
        " ",
        "\n",
        "word",
        "<",
    ]
)


@needs_toml
@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_example_parses_as_the_shipped_one(text: str) -> None:
    shipped = unbraid.parse(text, "qwen3_coder", new_call_id=lambda: "1")
    assert unbraid.parse(text, load(EXAMPLE), new_call_id=lambda: "1") == shipped


@pytest.mark.parametrize("name", list(unbraid.formats()))
def test_every_shipped_format_can_be_said_in_a_file(name: str) -> None:
    shipped = unbraid.formats()[name]
    loaded = loads(json.dumps(plain(shipped)), "x.json")
    assert same(loaded, shipped)
    assert (loaded.aliases, loaded.source) == (shipped.aliases, shipped.source)


def test_a_codec_may_be_its_name_alone() -> None:
    call = {"open": "<c={name}>", "close": "</c>", "arguments": "json"}
    text = {"name": "mine", "turns": {"assistant": "<|a|>"}, "tools": {"call": call}}
    assert loads(json.dumps(text), "x.json").tools.call.arguments == Json()  # type: ignore[union-attr]
    call |= {"open": "<c>", "arguments": "json_call"}
    assert loads(json.dumps(text), "x.json").tools.call.arguments == JsonCall()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "file"),
    [("qwen3", False), ("qwen3.5", False), ("mine.toml", True), ("./mine", True), ("a/b.json", True), ("toml", False)],
)
def test_what_is_a_file(name: str, file: bool) -> None:
    assert is_file(name) is file


WRONG = {
    "key": (MINIMAL + "\n[reasoning]\nopn = 1\n", 5, "reasoning has no key 'opn'; did you mean 'open'?"),
    "top key": (MINIMAL + "\n[tool]\n", 4, "a format has no key 'tool'; did you mean 'tools'?"),
    "inner": (MINIMAL + "compiled = 1\n", 3, "a format has no key 'compiled'"),
    "missing": (MINIMAL + '[reasoning]\nopen = "<t>"\n', 3, "reasoning needs the key 'close'"),
    "missing name": ('turns.assistant = "x"\n', 1, "a format needs the key 'name'"),
    "type": (MINIMAL + "\nspecial = ['a',\n 'b', # c\n\n 3]", 7, "special[2] takes a string, not a number"),
    "list": (MINIMAL + "turns.ends = '<e>'\n", 3, "turns.ends takes a list of strings, not a string"),
    "spelling": (MINIMAL + "reasoning = {open = 1, close = 'x'}", 3, "reasoning.open takes a string or a list of str"),
    "bool": (
        MINIMAL + "[reasoning]\nopen='<t>'\nclose='</t>'\ndefault='yes'",
        6,
        "reasoning.default takes true or false, not a string",
    ),
    "choice": (
        MINIMAL + "[reasoning]\nopen='<t>'\nclose='</t>'\nopened_by='promt'",
        6,
        "reasoning.opened_by can't be 'promt'; did you mean 'prompt'?",
    ),
    "table": (MINIMAL + 'reasoning = "<think>"', 3, "reasoning takes a table, not a string"),
    "no codec": (
        MINIMAL + "[tools.call]\nopen='<c>'\nclose='</c>'\n[tools.call.arguments]\narray='never'",
        6,
        "tools.call.arguments needs the key 'codec', which is one of json, json_call, params",
    ),
    "codec": (
        MINIMAL + "[tools.call]\nopen='<c>'\nclose='</c>'\narguments.codec='param'",
        6,
        "tools.call.arguments.codec can't be 'param'; did you mean 'params'?",
    ),
    "codec alone": (
        MINIMAL + "[tools.call]\nopen='<c>'\nclose='</c>'\narguments='jsn'",
        6,
        "tools.call.arguments can't be 'jsn'; did you mean 'json'?",
    ),
    "codec type": (
        MINIMAL + "[tools.call]\nopen='<c>'\nclose='</c>'\narguments.codec=1",
        6,
        "tools.call.arguments.codec takes a string, not a number",
    ),
    # What only shows when the format is put together.
    "name": ('\nname = "Bad"\nturns.assistant = "x"', 2, "lower-case letters"),
    "empty marker": ('name="mine"\n[turns]\nothers = []\nassistant = " "', 4, "turns.assistant is empty"),
    "literal": (
        MINIMAL + "[tools.call]\narguments = 'json'\nclose='</c>'\nopen='<c>'",
        6,
        "'<c>' needs {name} or {id}",
    ),
    "absent field": (
        MINIMAL + "[tools]\nopen='<s>'\n[tools.call]\nopen='<c={name}>'\nclose='</c>'\narguments='json'",
        4,
        "a section needs both tools.open and tools.close",
    ),
    "same marker": (MINIMAL + '\n\nreasoning = {open = "<t>", close = "<t>"}', 5, "make them differ"),
    "codec's field": (
        MINIMAL + "[tools.call]\nopen='<c={name}>'\nclose='</c>'\n[tools.call.arguments]\n"
        "codec='params'\nopen='<p={key}>'\nclose=' '",
        9,
        "params.close is empty",
    ),
    "syntax": (MINIMAL + "\n[reasoning\nopen = 1", 4, "this is not valid TOML: "),
    "end": (MINIMAL + '\nsource = """\nabc', 5, "this is not valid TOML: "),
}


@needs_toml
@pytest.mark.parametrize(("text", "line", "said"), WRONG.values(), ids=WRONG)
def test_a_mistake_in_toml(text: str, line: int, said: str) -> None:
    with pytest.raises(FormatError) as raised:
        loads(text, "mine.toml")
    message = str(raised.value)
    assert message.startswith(f"mine.toml, line {line}: "), message
    assert said in message
    assert "\n" not in message


WRONG_JSON = {
    "key": ('{"name": "mine",\n "turns": {"assistant": "x",\n  "other": []}}', 3, "turns has no key 'other'"),
    "list": ('{"name": "mine",\n "turns": {"assistant": [\n"x",\n3]}}', 4, "turns.assistant[1] takes a string"),
    "syntax": ('{"name": "mine"\n "turns": 1}', 2, "this is not valid JSON: "),
    "not an object": ("[]", 1, "a format is a JSON object, not a list"),
    "null": ('{"turns": null,\n"name": "mine"}', 1, "turns takes a table, not null"),
}


@pytest.mark.parametrize(("text", "line", "said"), WRONG_JSON.values(), ids=WRONG_JSON)
def test_a_mistake_in_json(text: str, line: int, said: str) -> None:
    with pytest.raises(FormatError) as raised:
        loads(text, "mine.json")
    assert str(raised.value).startswith(f"mine.json, line {line}: ")
    assert said in str(raised.value)


def test_null_is_the_default_of_what_may_be_missing() -> None:
    assert loads('{"name": "mine", "turns": {"assistant": "x"}, "reasoning": null}', "x.json").reasoning is None


def test_other_endings_are_refused() -> None:
    with pytest.raises(FormatError, match=r"mine\.yaml must end in \.toml or \.json"):
        loads("", "mine.yaml")


def test_a_file_that_cant_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "mine.toml")
    (tmp_path / "mine.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(FormatError, match="is not UTF-8 text"):
        load(tmp_path / "mine.toml")


def test_without_a_reader_of_toml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["unbraid.load"], "_toml_reader", lambda: None)
    with pytest.raises(FormatError, match=r'pip install "unbraid\[toml\]", or write the format as JSON'):
        loads(MINIMAL, "mine.toml")


def test_lines_of_keys() -> None:
    text = (
        'a = 1 # x = "\n"b.c".\'d\' = """\n[no]\nx = 1\n"" """\n[t]\ne = [ # y\n 1,\n\n {f = 2, g = [\n3]},\n]\n'
        "[[u]]\nh = 07:32:00\n[u.v]\ni = 1\n[[u]]\nh = '''\n'\n'''\nj = 1\n"
    )
    found = lines(text, toml=True)
    assert found[("a",)] == 1
    assert found[("b.c", "d")] == 2
    assert (found[("t",)], found[("t", "e")]) == (6, 7)
    assert (found[("t", "e", 0)], found[("t", "e", 1)], found[("t", "e", 1, "f")]) == (8, 10, 10)
    assert found[("t", "e", 1, "g", 0)] == 11
    assert (found[("u", 0)], found[("u", 0, "h")], found[("u", 0, "v", "i")]) == (13, 14, 16)
    assert (found[("u", 1)], found[("u", 1, "h")], found[("u", 1, "j")]) == (17, 18, 21)
    assert ("no",) not in found and ("x",) not in found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def places(value: Any, where: tuple[Any, ...] = ()) -> set[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {each for key, under in inner for each in ({(*where, key)} | places(under, (*where, key)))}


@given(JSON, st.booleans())
def test_lines_of_any_json(value: Any, escaped: bool) -> None:
    """Every place is found; written one a line, lines count up."""
    text = json.dumps(value, indent=1, ensure_ascii=escaped)
    found = lines(text, toml=False)
    assert set(found) == places(value)
    assert all(1 <= line <= text.count("\n") + 1 for line in found.values())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text(json.dumps(plain(unbraid.resolve("qwen3")) | {"name": "mine"}))
    Path("bad.json").write_text('{"name": "mine",\n"turns": {}}')
    Path("reply.txt").write_text("<think>\nhm\n</think>\n\nhi")
    return tmp_path


def test_a_file_goes_where_a_format_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mine.json", "./mine.json", str(folder / "mine.json")):
        assert main(["parse", "--format", name, "reply.txt"]) == 0
        assert json.loads(capsys.readouterr().out)["reasoning"] == "hm"
    assert main(["explain", "-f", "mine.json", "reply.txt"]) == 0
    assert capsys.readouterr().out.strip().startswith("mine")


def test_the_server_takes_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    served = []
    monkeypatch.setattr("unbraid.server.serve", served.append)
    assert main(["serve", "--format", "./mine.json"]) == 0
    assert served[0].format.name == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine.jsn/", "there is no file 'mine.jsn/'"),
        ("./mine.jso", "there is no file './mine.jso'; did you mean 'mine.json'?"),
        ("./reply.txt", "./reply.txt must end in .toml or .json to be read as a format."),
        ("bad.json", "bad.json, line 2: turns needs the key 'assistant'."),
        ("none.toml", "there is no file 'none.toml'"),
        (".", "there is no format '.'"),
    ],
)
def test_a_wrong_file_is_one_sentence(folder: Path, capsys: pytest.CaptureFixture[str], name: str, said: str) -> None:
    assert main(["parse", "-f", name, "reply.txt"]) == 2
    printed = capsys.readouterr().err
    assert said in printed
    assert printed.count("\n") == 1 and printed.endswith((".\n", "?\n"))


def test_a_name_given_to_the_library_is_never_a_file(folder: Path) -> None:
    """A name may come from a request: it mustn't open files."""
    for name in ("mine.json", "./mine.json", str(folder / "mine.json")):
        with pytest.raises(FormatError, match="there is no format"):
            unbraid.Parser(name)
