"""Linting: each check has a format that it finds fault with, and the shipped formats pass."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import unbraid
from unbraid.cli import main
from unbraid.format import Call, Format, FormatError, JsonCall, Params, Reasoning, Tools, Turns
from unbraid.lint import SEVERITIES, Finding, Vocabulary, lint, report, template_text
from unbraid.literals import Marker, markers, text_units
from unbraid.plan import plan
from unbraid.reach import endless, refuse_dead_ends, shadows, stuck, unreached
from unbraid.table import Plan

FORMATS = unbraid.formats()
TEMPLATES = Path(os.environ.get("UNBRAID_TEMPLATES") or Path(__file__).parent.parent.parent / "shared/templates")
LISTED = Path(__file__).parent / "data/templates.tsv"

TURNS = Turns("<|assistant|>\n", others=("<|user|>",), ends=("<|end|>",))
THINK = Reasoning("<think>\n", "\n</think>\n", toggle=("enable_thinking",))
CALLS = Tools(Call("<call>", "</call>", JsonCall()))
EXAMPLE = '<think>\nhm\n</think>\n<call>{"name": "f", "arguments": {}}</call>'


def mine(**given: Any) -> Format:
    """A format without fault, but for what is given."""
    return Format(**{"name": "mine", "turns": TURNS, "reasoning": THINK, "tools": CALLS, "example": EXAMPLE, **given})


def codes(found: list[Finding]) -> list[tuple[str, str, str]]:
    return [(each.severity, each.code, each.where) for each in found]


# ------------------------------------------------------------ the description alone


@pytest.mark.parametrize("name", list(FORMATS))
def test_shipped_formats_pass(name: str) -> None:
    assert [each for each in lint(FORMATS[name]) if each.severity != "note"] == []


def test_a_format_without_fault() -> None:
    assert lint(mine()) == []


FAULTS: dict[str, tuple[dict[str, Any], list[tuple[str, str, str]]]] = {
    "no other turns": ({"turns": replace(TURNS, others=())}, [("warning", "turn-boundary", "turns.others")]),
    "no ends": ({"turns": replace(TURNS, ends=())}, [("warning", "turn-boundary", "turns.ends")]),
    "special": (
        {"special": ("<call>", "<cal>>", "<|im_end|>")},
        [("warning", "special-unused", "special[1]"), ("warning", "special-unused", "special[2]")],
    ),
    "toggle": (
        {"reasoning": Reasoning("<think>", "</think>", opened_by="prompt"), "example": EXAMPLE[8:]},
        [("note", "toggle-missing", "reasoning.toggle")],
    ),
    "no example": ({"example": ""}, [("warning", "example-missing", "example")]),
    "no call": ({"example": "<think>hm</think><cal>{}</call>"}, [("error", "example-call", "example")]),
    "cut call": (
        {"example": EXAMPLE[: -len("{}}</call>")]},
        [("error", "example-call", "example"), ("warning", "example-notes", "example")],
    ),
    "no reasoning": (
        {"example": EXAMPLE[len("<think>\nhm\n</think>\n") :]},
        [("error", "example-reasoning", "example")],
    ),
    "notes": ({"example": EXAMPLE.removesuffix("</call>")}, [("warning", "example-notes", "example")]),
}


@pytest.mark.parametrize(("given", "found"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found(given: dict[str, Any], found: list[tuple[str, str, str]]) -> None:
    assert codes(lint(mine(**given))) == found


# ------------------------------------------------------------ the table


def changed(change: Callable[[str, Any], list[Any]], format: Format | None = None) -> Plan:
    """A table with other edges: those that ``change`` makes of a state's name and edges."""
    table = plan(format or mine())
    return {name: row._replace(edges=change(name, row.edges)) for name, row in table.items()}


@pytest.mark.parametrize("format", [*FORMATS.values(), mine()], ids=lambda format: format.name)
def test_tables_hang_together(format: Format) -> None:
    table = plan(format)
    assert (unreached(table), stuck(table), endless(table)) == ([], [], [])


def test_a_state_that_nothing_leads_to() -> None:
    format = mine(tools=Tools(Call("<c={name}>", "</c>", Params("<p={key}>", "</p>"))), example="")
    table = changed(lambda name, edges: [edge for edge in edges if edge.to != "value"], format)
    assert unreached(table) == ["value"]


def test_a_state_without_a_way_out() -> None:
    table = changed(lambda name, edges: [] if name == "reasoning" else edges)
    assert stuck(table) == ["reasoning"]
    with pytest.raises(FormatError, match="mine: nothing leads from the state 'reasoning' back to the answer"):
        refuse_dead_ends("mine", table)


def test_a_state_that_isnt_there() -> None:
    table = changed(lambda name, edges: [edge._replace(to="nowhere") for edge in edges] if name == "start" else edges)
    assert stuck(table) == ["start"]


def test_reasoning_that_nothing_ends() -> None:
    """A call leads out of it, but that isn't an end of reasoning."""
    table = changed(lambda name, edges: [edge for edge in edges if edge.do.name != "CLOSE_REASONING"])
    assert {"reasoning", "reasoning.start"} <= set(endless(table))
    with pytest.raises(FormatError, match=r"nothing (ends|leads)"):
        refuse_dead_ends("mine", table)
    only = {name: row for name, row in table.items() if name != "draft"}
    with pytest.raises(FormatError, match=r"nothing ends reasoning in the state 'reasoning\.start'; give reasoning a"):
        refuse_dead_ends("mine", only)


def test_a_dead_end_is_refused_when_a_format_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    table = changed(lambda name, edges: [] if name == "reasoning" else edges)
    monkeypatch.setattr("unbraid.plan.plan", lambda format: table)
    with pytest.raises(FormatError, match="nothing leads from the state 'reasoning'"):
        mine()


BRACE, BRACKET = text_units("{"), text_units("[")


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (Marker(text_units("<a>")), Marker(text_units("<b>")), []),
        (Marker(text_units("<a>")), Marker(text_units("<a>")), [("two", "one", True)]),
        (Marker(text_units("<a")), Marker(text_units("<a>")), [("one", "two", False)]),
        (Marker(text_units("<a>")), Marker(text_units("<a")), [("two", "one", False)]),
        (Marker(text_units("<a>"), follow=(BRACE,)), Marker(text_units("<a>"), follow=(BRACKET,)), []),
        (Marker(text_units("<a>"), follow=(BRACE,)), Marker(text_units("<a>")), []),
        (
            Marker(text_units("<a>"), follow=(BRACE,)),
            Marker(text_units("<a>"), follow=(BRACE,)),
            [("two", "one", True)],
        ),
    ],
)
def test_markers_that_begin_alike(first: Marker, second: Marker, found: list[tuple[str, str, bool]]) -> None:
    def two(name: str, edges: list[Any]) -> list[Any]:
        (edge, *_) = edges
        return [edge._replace(label="one", markers=(first,)), edge._replace(label="two", markers=(second,))]

    table = {name: row for name, row in changed(lambda name, edges: edges).items() if name == "reasoning"}
    table = {name: row._replace(edges=two(name, row.edges)) for name, row in table.items()}
    assert [shadow[1:] for shadow in shadows(table)] == found


def test_what_a_table_shows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def loose(name: str, edges: list[Any]) -> list[Any]:
        kept = [edge for edge in edges if edge.to not in ("draft", "json_call", "body")]
        twice = [edge._replace(label="twin") for edge in kept[:1]]
        longer = [
            edge._replace(label="longer", markers=markers("<|end|>>")) for edge in kept if edge.label[:3] == "end"
        ]
        return [*kept, *twice, *longer] if name == "content" else kept

    format, table = mine(), changed(loose)
    monkeypatch.setattr("unbraid.lint.structure.plan", lambda format: table)
    found = codes(lint(format))
    assert ("warning", "shadowed", "state content") in found
    assert ("note", "prefix", "state content") in found
    assert [each[1] for each in found].count("unreachable") >= 1


# ------------------------------------------------------------ a tokenizer

SPECIAL = ("<think>", "</think>", "<|user|>")
TOKENS = {"hello": 0, "<think>": 1, "</think>": 2, "<|user|>": 3, "<|assistant|>": 4, "<|image|>": 5, "\n\n": 6}
ADDED = ["<think>", "</think>", "<|user|>", "<|assistant|>", "<|image|>", "\n\n"]


class Tokens:
    """A tokenizer that has ``get_vocab`` alone."""

    def get_vocab(self) -> dict[str, int]:
        return TOKENS


class Transformers(Tokens):
    def get_added_vocab(self) -> dict[str, int]:
        return {token: TOKENS[token] for token in ADDED}


TOKENIZER_JSON = json.dumps({"model": {"vocab": TOKENS}, "added_tokens": [{"content": each} for each in ADDED]})
UNIGRAM = json.dumps({"model": {"vocab": [["hello", -1.0]]}, "added_tokens": [{"content": each} for each in ADDED]})
CONFIG = json.dumps({"added_tokens_decoder": {str(at): {"content": each} for at, each in enumerate(ADDED)}})


@pytest.mark.parametrize(
    "vocabulary",
    [
        Vocabulary.from_tokens(TOKENS, ADDED),
        Tokens(),
        Transformers(),
        *(Vocabulary.from_json(text) for text in (TOKENIZER_JSON, UNIGRAM, CONFIG)),
    ],
)
def test_a_format_against_a_tokenizer(vocabulary: Any) -> None:
    assert codes(lint(mine(special=SPECIAL), vocabulary=vocabulary)) == [
        ("note", "undeclared-token", "turns.assistant")
    ]
    found = lint(mine(special=("<think>", "<|end|>")), vocabulary=vocabulary)
    assert found[0].severity == "error" and found[0].code == "not-a-token" and found[0].where == "special[1]"
    assert {each.code for each in found[1:]} == {"undeclared-token"}
    assert {each.where for each in found[1:]} == {"turns.assistant", "turns.others", "reasoning.close"}


def test_the_nearest_token_is_named() -> None:
    turns = Turns("<|assistant|>", others=("<|usr|>",), ends=("<|end|>",))
    format = mine(turns=turns, special=("<|usr|>", "<|end|>"))
    near, far = (each for each in lint(format, vocabulary=Tokens()) if each.severity == "error")
    assert near.message == "'<|usr|>' is not one token of this tokenizer; did you mean '<|user|>'?"
    assert (
        "leave it out if the model writes it in several"
        in lint(mine(turns=replace(turns, ends=("EOD",)), special=("EOD",)), vocabulary=Tokens())[0].message
    )
    assert far.where == "special[1]"


@pytest.mark.parametrize("text", ["[", "[]", "{}", '{"model": {}}', '{"added_tokens": 1}'])
def test_what_isnt_a_tokenizer(text: str) -> None:
    with pytest.raises(ValueError, match=r"it (isn't|holds)"):
        Vocabulary.from_json(text)
    with pytest.raises(TypeError, match=r"get_vocab\(\), str doesn't"):
        lint(mine(), vocabulary=text)  # type: ignore[arg-type]


def test_a_real_tokenizer() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.add_special_tokens([*SPECIAL, "<|assistant|>"])
    found = codes(lint(mine(special=SPECIAL), vocabulary=tokenizer))
    assert found == [("note", "undeclared-token", "turns.assistant")]
    assert lint(mine(special=SPECIAL), vocabulary=Vocabulary.from_json(tokenizer.to_str())) == lint(
        mine(special=SPECIAL), vocabulary=tokenizer
    )


# ------------------------------------------------------------ a chat template

TEMPLATE = """
{%- if tools %}Use <call>{"name": ...}</call>{% endif -%}
{%- for message in messages %}{{ '<|' + message.role + '|>\\n' + message.content + '<|end|>' }}
{{ '<think>\\n' }}</think>{% endfor %}<|user|>{{ '<|assistant|>' }}
"""


def test_a_template_that_fits() -> None:
    assert lint(mine(), chat_template=TEMPLATE) == []


@pytest.mark.parametrize(
    ("template", "given", "found"),
    [
        (TEMPLATE.replace("</think>", ""), {}, [("warning", "inert", "reasoning.close")]),
        (TEMPLATE.replace("<call>", "<CALL>"), {}, [("warning", "inert", "tools.call.open")]),
        # One spelling is enough.
        (TEMPLATE, {"tools": Tools(Call(("<CALL>", "<call>"), "</call>", JsonCall()))}, []),
        # A turn's end may come from a variable.
        (TEMPLATE.replace("<|end|>", "<|eot|>"), {}, [("warning", "inert", "turns.ends")]),
        (TEMPLATE.replace("'<|end|>'", "eos_token"), {}, []),
        # Tokens that the template puts together with something between them.
        (TEMPLATE.replace("<call>", "<ca' + x + 'll>"), {}, [("warning", "inert", "tools.call.open")]),
        (TEMPLATE.replace("<call>", "<ca' + x + 'll>"), {"special": ("<ca", "ll>")}, []),
        (TEMPLATE.replace("<|user|>", ""), {}, [("warning", "inert", "turns.others")]),
        (
            TEMPLATE,
            {"turns": replace(TURNS, others=("<|user|>", "<|tool|>"))},
            [("note", "inert", "turns.others")],
        ),
        (TEMPLATE.replace("tools", "x").replace("<call>", ""), {}, [("note", "no-tools", "tools")]),
        (TEMPLATE + "<|system|>", {}, [("note", "undeclared-boundary", "turns")]),
        (TEMPLATE + "{{ '<|start|>' + message['role'] }}<|start|>", {}, [("note", "undeclared-boundary", "turns")]),
        (TEMPLATE + "<|start_header_id|>{{ message.role }}", {}, [("note", "undeclared-boundary", "turns")]),
        (TEMPLATE + "<|im_start|>system", {}, [("note", "undeclared-boundary", "turns")]),
        (
            TEMPLATE + "<|image|><tools><|tool_call|><ROLE>[USER][/USER]",
            {"turns": replace(TURNS, others=("<|user|>", "[/USER]"))},
            [],
        ),
    ],
)
def test_a_format_against_a_template(template: str, given: dict[str, Any], found: list[tuple[str, str, str]]) -> None:
    assert codes(lint(mine(**given), chat_template=template)) == found


def test_holes_and_white_space_of_markers_arent_searched() -> None:
    tools = Tools(Call('\n<call> <fn name="{name}">\n', "</call>", Params("<p {key}>", "</p>")))
    template = TEMPLATE.replace("<call>", "<call>\\n<fn name=\\\"' + name + '\\\"><p a></p>")
    assert lint(mine(tools=tools, example=""), chat_template=template)[1:] == []


def test_templates_in_a_configuration() -> None:
    assert template_text("{}", "a.jinja") == "{}"
    assert template_text('{"chat_template": "x"}', "a.json") == "x"
    assert template_text('{"chat_template": [{"template": "x"}, {"template": "y"}]}', "a.json") == "x\ny"
    for text in ("{}", "[]", "[", '{"chat_template": ""}'):
        with pytest.raises(ValueError, match=r"it (isn't|holds no chat_template)"):
            template_text(text, "a.json")


def test_a_template_without_reasoning_isnt_compared_with_it() -> None:
    mine = Format("mine", TURNS, reasoning=THINK, tools=CALLS, example=EXAMPLE)
    template = "<|user|>{{ m }}<|end|><|assistant|>\n{{ tools }}<call></call>"
    assert [each.code for each in lint(mine, chat_template=template)] == ["no-reasoning"]
    assert "no-reasoning" not in [each.code for each in lint(mine, chat_template=template + "</think>")]


def listed() -> list[tuple[str, str]]:
    """Chat templates and their formats, as far as both are here."""
    if not (LISTED.exists() and TEMPLATES.exists()):
        return []
    rows = [line.split("\t")[:2] for line in LISTED.read_text("utf-8").splitlines()[1:] if line.strip()]
    return [(file, name) for file, name in rows if name in FORMATS and (TEMPLATES / file).exists()]


@pytest.mark.parametrize(("file", "name"), listed())
def test_shipped_formats_against_templates(file: str, name: str) -> None:
    found = lint(FORMATS[name], chat_template=(TEMPLATES / file).read_text("utf-8"))
    assert [each for each in found if each.severity == "error"] == []


# ------------------------------------------------------------ the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text('{"name": "mine",\n"turns": {"assistant": "<|a|>"},\n"special": ["<b>"]}')
    (tmp_path / "bad.json").write_text('{"name": "mine",\n"turns": {"asistant": "<|a|>"}}')
    (tmp_path / "tokenizer.json").write_text(TOKENIZER_JSON)
    (tmp_path / "t.jinja").write_text(TEMPLATE)
    return tmp_path


def test_the_command_prints_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "./mine.json"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("mine\n  warning  turns.others: no marker opens another turn")
    assert printed.endswith("0 errors, 4 warnings, 0 notes in 1 format\n")
    assert main(["lint", "mine.json", "--tokenizer", "tokenizer.json", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found[0]["format"] == "mine" and found[0]["code"] == "not-a-token" and found[0]["severity"] == "error"
    assert main(["lint", "qwen3"]) == 0
    assert capsys.readouterr().out == "qwen3: no findings\n0 errors, 0 warnings, 0 notes in 1 format\n"
    assert main(["lint", "qwen3", "--chat-template", "t.jinja"]) == 0
    assert "[inert]" in capsys.readouterr().out


def test_all_formats_are_linted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "all"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name}" in f"\n{printed}" for name in FORMATS)
    assert printed.splitlines()[-1].endswith(f"in {len(FORMATS)} formats")


def test_a_file_that_describes_no_format_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "bad.json"]) == 1
    printed = capsys.readouterr().out
    assert (
        "error    bad.json: bad.json, line 2: turns has no key 'asistant'; did you mean 'assistant'? [refused]"
        in printed
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["qwen3_codr"], "there is no format 'qwen3_codr'; did you mean 'qwen3_coder'?"),
        (["./mine.jsn"], "there is no file './mine.jsn'; did you mean 'mine.json'?"),
        (["./t.jinja"], "./t.jinja must end in .toml or .json"),
        (
            ["qwen3", "--tokenizer", "tokeniser.json"],
            "there is no file 'tokeniser.json'; did you mean 'tokenizer.json'?",
        ),
        (["qwen3", "--tokenizer", "t.jinja"], "t.jinja can't be used: it isn't valid JSON"),
        (["qwen3", "--tokenizer", "mine.json"], "mine.json can't be used: it holds no tokens"),
        (["qwen3", "--chat-template", "mine.json"], "mine.json can't be used: it holds no chat_template"),
        (["qwen3", "--chat-template", "."], "'.' is a directory"),
        ([], "required: FORMAT"),
    ],
)
def test_wrong_input_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["lint", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert printed.err.rstrip().endswith((".", "?"))


def test_a_report_counts() -> None:
    some = [Finding(severity, "x", "y", "z") for severity in SEVERITIES]
    assert report({"a": some, "b": some[:1]}).splitlines()[-1] == "2 errors, 1 warning, 1 note in 2 formats"
