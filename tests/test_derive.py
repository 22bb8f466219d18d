"""Formats made from models' own files: chat templates and response templates, all of them written for these tests."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid import FormatError, parse
from unbraid.cli import main
from unbraid.derivation import from_chat_template, from_response_template, go, jinja
from unbraid.derivation.nodes import NotRead
from unbraid.derivation.pattern import groups, literals
from unbraid.derivation.run import Raised, run
from unbraid.format import Call, Format, Gemma, Json, JsonCall, Params, Python, Reasoning, Tools, Turns
from unbraid.load import load

DATA = Path(__file__).parent / "data" / "derive"
needs_toml = pytest.mark.skipif(
    sys.version_info < (3, 11) and find_spec("tomli") is None, reason="needs Python 3.11 or tomli"
)


def template(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def calls(text: str, format: Format) -> list[tuple[str, Any]]:
    return [(call.name, json.loads(call.arguments)) for call in parse(text, format, thinking=False).tool_calls]


# -- chat templates ----------------------------------------------------------------------------------------------------

WRITTEN = {
    "tags.jinja": (
        Turns("<|turn:fox|>\n", others=("<|turn:user|>", "<|turn:system|>", "<|turn:tool|>"), ends=("<|over|>",)),
        Reasoning("<muse>\n", "\n</muse>\n\n", toggle=("enable_thinking",)),
        Tools(Call("\n<do>\n", "\n</do>", JsonCall(("tool",), ("input",)))),
    ),
    "section.jinja": (
        Turns("[/ASK]", others=("[ASK]", "[RULES]", "[RESULT]")),
        None,
        Tools(Call("<<call>>{name}#{index}<<with>>", "<</call>>", Json()), open="<<calls>>", close="<</calls>>"),
    ),
    "params.jinja": (
        Turns("<bot>\n", others=("<user>", "<system>", "<tool>"), ends=("</bot>",)),
        None,
        Tools(Call('\n<use name="{name}">', "\n</use>", Params('\n<arg key="{key}">', "</arg>"))),
    ),
    "array.jinja": (
        Turns("<|assistant|>", others=("<|user|>", "<|system|>", "<|tool|>"), ends=("<|stop|>",)),
        None,
        Tools(Call("tools: ", None, JsonCall(("name",), ("parameters",), ("id",), "always"))),
    ),
    "calls.jinja": (
        Turns("<s:assistant>", others=("<s:user>", "<s:system>", "<s:tool>"), ends=("</s>",)),
        None,
        Tools(Call("<python>", "</python>", Python())),
    ),
    "own.tmpl": (
        Turns("<|bot|>\n", others=("<|user|>", "<|sys|>", "<|result|>"), ends=("<|end|>",)),
        Reasoning("<reflect>", "</reflect>\n"),
        Tools(Call("\n<call>", "</call>", JsonCall(("tool",), ("parameters",)))),
    ),
    "old.tmpl": (Turns("### Answered:\n", others=("### Asked:", "### Rules:")), None, None),
}
TWO = {
    "tags.jinja": '<do>\n{"tool": "f", "input": {"a": 1}}\n</do>\n<do>\n{"tool": "g", "input": {}}\n</do>',
    "section.jinja": '<<calls>><<call>>f#0<<with>>{"a": 1}<</call>><<call>>g#1<<with>>{}<</call>><</calls>>',
    "params.jinja": '<use name="f">\n<arg key="a">1</arg>\n</use>\n<use name="g">\n</use>',
    "array.jinja": 'tools: [{"name": "f", "parameters": {"a": 1}, "id": "1"}, {"name": "g", "parameters": {}}]',
    "calls.jinja": "<python>[f(a=1), g()]</python>",
    "own.tmpl": '<call>{"tool": "f", "parameters": {"a": 1}}</call>\n<call>{"tool": "g", "parameters": {}}</call>',
}


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_what_a_template_writes_is_what_the_format_says(name: str) -> None:
    format = from_chat_template(template(name), "mine")
    assert (format.turns, format.reasoning, format.tools) == WRITTEN[name]


@pytest.mark.parametrize("name", sorted(TWO))
def test_two_calls_are_read(name: str) -> None:
    found = calls(TWO[name], from_chat_template(template(name)))
    assert [(called, {key: str(value) for key, value in given.items()}) for called, given in found] == [
        ("f", {"a": "1"}),
        ("g", {}),
    ]


@pytest.mark.parametrize("name", sorted(TWO))
def test_the_example_is_what_the_template_writes_for_a_call(name: str) -> None:
    format = from_chat_template(template(name))
    tools = [{"name": "find_trains", "parameters": {"properties": {"seats": {"type": "integer"}}}}]
    message = parse(format.example, format, tools=tools, thinking=format.reasoning is not None)
    assert [(call.name, json.loads(call.arguments)) for call in message.tool_calls] == [
        ("find_trains", {"to": "Graz", "seats": 2})
    ]
    assert (message.reasoning is None) == (format.reasoning is None)
    assert not (message.content or "").strip()


def test_the_source_says_what_told_what() -> None:
    assert from_chat_template(template("own.tmpl")).source == (
        "Derived from the chat template, which writes '<|end|>\\n<|bot|>\\n' between a question and its answer; "
        "'<|end|>\\n<|user|>\\n' between an answer and the next question; "
        "'<reflect>' and '</reflect>\\n' around a thought; "
        '\'<call>{"tool": "NAME", "parameters": {"K1": "V1", "K2": "V2"}}</call>\' for a call.'
    )


def test_the_prompt_is_read_by_the_derived_format() -> None:
    format = from_chat_template(template("tags.jinja"))
    off = parse("Hi.", format, prompt="<|turn:user|>\nx<|over|>\n<|turn:fox|>\n<muse>\n\n</muse>\n\n")
    inside = parse("Hm.\n</muse>\n\nHi.", format, prompt="<|turn:user|>\n</muse><|over|>\n<|turn:fox|>\n<muse>\n")
    assert (off.reasoning, off.content) == (None, "Hi.")
    assert (inside.reasoning, inside.content) == ("Hm.", "Hi.")


def test_a_prompt_that_opens_reasoning_is_found() -> None:
    opened = template("tags.jinja").replace(
        "{{- part('fox', '') }}\n    {%- if enable", "{{- part('fox', '<muse>\\n') }}\n    {%- if enable"
    )
    format = from_chat_template(opened)
    assert format.turns.assistant == "<|turn:fox|>\n"
    assert format.reasoning is not None
    assert format.reasoning.opened_by == "prompt"


def test_tokens_of_the_tokenizer_are_known() -> None:
    config = {
        "chat_template": template("section.jinja"),
        "eos_token": {"content": "<eos>"},
        "added_tokens_decoder": {"1": {"content": "<eos>"}, "2": {"content": "<<call>>"}, "3": {"content": "<unused>"}},
    }
    format = unbraid.derive(tokenizer_config=config)
    assert format.turns.ends == ("<eos>",)
    assert format.special == ("<<call>>", "<eos>")
    assert "eos_token" in from_chat_template(config["chat_template"]).source


MARK = st.sampled_from(["<{}>", "<|{}|>", "[{}]", "<<{}>>"])
WORD = st.sampled_from(["wolf", "owl", "hare", "lynx", "mole", "toad", "deer"])
SPACE = st.sampled_from(["", "\n"])


@given(MARK, st.lists(WORD, min_size=6, max_size=6, unique=True), SPACE, SPACE, st.booleans(), st.sampled_from("ab"))
def test_the_markers_of_any_such_template_are_found(mark, words, before, after, sectioned, key) -> None:
    turn, end, open, close, begin, finish = (mark.format(word.upper() if "[" in mark else word) for word in words)
    if not sectioned:
        begin = finish = ""
    text = (
        "{%- for m in messages %}{{ '" + turn + "' + m.role + '\\n' + m.content }}"
        "{%- if m.tool_calls %}{{ '" + begin + "' }}{%- for c in m.tool_calls %}"
        "{{ '" + open + "' }}" + before
        + "{{ {'" + key + "': c.function.name, 'with': c.function.arguments} | tojson }}"
        + after + "{{ '" + close + "' }}{%- endfor %}{{ '" + finish + "' }}{%- endif %}{{ '" + end + "\\n' }}"
        "{%- endfor %}{%- if add_generation_prompt %}{{ '" + turn + "assistant\\n' }}{%- endif %}"
    )  # fmt: skip
    format = from_chat_template(text)
    assert format.turns == Turns(f"{turn}assistant\n", others=(turn,), ends=(end,))
    tools = format.tools
    assert isinstance(tools, Tools)
    assert isinstance(tools.call, Call)
    assert tools.call.arguments == JsonCall((key,), ("with",))
    said = [tools.open, tools.call.open, tools.call.close, tools.close]
    assert [str(each or "").strip() for each in said] == [begin, open, close, finish]


REFUSED = {
    "{{ messages[0].content }}": "doesn't write a question and its answer, so the turn boundaries can't be found",
    "{% for m in messages %}{{ m.content }}\n{% endfor %}": "writes nothing but '\\n' between a question",
    "{% for m in messages %}": "ends before {% endfor %}",
    "{% endif %}": "has {% endif %} where it doesn't belong",
    "{{ 'x'": "has {{ without }}",
    "{{ range .Messages }}": "ends before {{ end }}",
    "{{ .Prompt }}{{ end }}": "has {{ end }} where nothing is open",
    "{% for i in range(100000) %}{% for j in range(100000) %}{{ i }}{% endfor %}{% endfor %}": "takes too long",
    "{{ 'x' * 1000000000 }}": "doesn't write a question",
    "{% set x = 'ab' %}{% for i in range(99) %}{% set x = x + x %}{{ x }}{% set x = x + x + x + x %}{{ x * 9999 }}"
    "{{ ('a' * 400000).replace('a', 'a' * 400000) }}{% endfor %}": "writes too much",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_does_not_tell_enough_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(FormatError) as refused:
        from_chat_template(text)
    assert str(refused.value).startswith("no format can be derived: the chat template ")
    assert REFUSED[text] in str(refused.value)
    assert "\n" not in str(refused.value)


HEAD = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% for c in m.tool_calls or [] %}"
TAIL = "{% endfor %}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[T]{{ c | tojson }}", "name and arguments not side by side, but inside 'function'"),
        ("[T]{{ c.id }} {{ c.function.arguments | tojson }}", "no calls"),
        ("{{ c.function.name }} {{ c.function.arguments | tojson }}", "before a call"),
    ],
)
def test_calls_that_a_format_can_not_say(written: str, said: str) -> None:
    try:
        found = from_chat_template(HEAD + written + TAIL).source
    except FormatError as refused:
        found = str(refused)
    assert said in found


ANY = st.text(st.sampled_from("{}%#-'\" abmessages.content[]|()+~ifforendelse\n"), max_size=60)


@given(st.sampled_from(["{}", "{{{{{}}}}}", "{{%{}%}}", "{{{{ .Messages }}}}{}"]).flatmap(lambda s: ANY.map(s.format)))
def test_no_text_breaks_it(text: str) -> None:
    with suppress(FormatError):
        from_chat_template(text)


@given(st.integers(0, 2000), st.integers(0, 40), st.sampled_from(sorted(WRITTEN)))
def test_no_damaged_template_breaks_it(at: int, size: int, name: str) -> None:
    text = template(name)
    at %= len(text)
    try:
        format = from_chat_template(text[:at] + text[at + size :])
    except FormatError:
        return
    assert parse(format.example, format).spans


# -- what templates write ----------------------------------------------------------------------------------------------


def told(text: str, **variables: Any) -> str:
    return run(jinja.read(text), variables)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{% if a %}\n  x\n  {% elif b %}y{% else %}z{% endif %}\n.", "  x\n."),
        ("{{ 'b' if not a }}|{{ 'b' if a else 'c' }}", "|b"),
        ("{%- for k, v in d.items() if v %}{{ k }}{{ loop.index }}{% else %}none{% endfor %}", "x1"),
        ("{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"),
        ("{% macro f(a, b='!') %}<{{ a }}{{ b }}>{% endmacro %}{{ f('x') ~ f('y', b=1) }}", "<x!><y1>"),
        ("{% set t %}a{{ 1 }}{% endset %}{{ t | upper }}", "A1"),
        ("{{ d | tojson }} {{ nothing.at.all }}{{ nothing is defined }}", '{"x": 1, "y": 0} False'),
        ("{{ 'a,b'.split(',')[-1] }}{{ 'abc'[1:] }}{{ [1,2]|length }}{{ '  x '|trim }}", "bbc2x"),
        ("{{ a is string }}{{ a is not none }}{{ d is mapping and a is number }}{{ 1 in [1] }}", "FalseTrueTrueTrue"),
        ("{# {{ c }} #}{% raw %}{{ x }}{% endraw %}{{ '%}' }}{{ \"a\\n\" }}", "{{ x }}%}a\n"),
        ("{% for i in [1,2,3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}", "13"),
        ("{{ ''.__class__.__mro__ }}{{ f.__globals__ }}{{ namespace.__init__ }}{{ d.pop('x') }}{{ d.x }}", "1"),
        ("{{ '%s-%s' | format('a', 1) }}{{ 'x' | default('y') }}{{ z | default('y') }}", "a-1xy"),
    ],
)  # fmt: skip
def test_jinja(text: str, written: str) -> None:
    variables = {"a": 1, "d": {"x": 1, "y": 0}}
    assert told(text, **variables) == written


@pytest.mark.parametrize("name", [name for name in sorted(WRITTEN) if name.endswith(".jinja")])
def test_jinja_writes_the_same(name: str) -> None:
    jinja2 = pytest.importorskip("jinja2")
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    call = {"id": "1", "function": {"name": "f", "arguments": {"a": "b", "c": 2}}}
    messages = [
        {"role": "system", "content": "Be."},
        {"role": "user", "content": "Do?"},
        {"role": "assistant", "content": "Yes.", "reasoning_content": "Hm.", "tool_calls": [call, call]},
        {"role": "tool", "content": "Done."},
    ]
    for prompt in (True, False):
        given = {"messages": messages, "add_generation_prompt": prompt, "eos_token": "<e>", "bos_token": "<b>"}
        assert told(template(name), **given) == environment.from_string(template(name)).render(**given)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{{ if eq .A 1 }}x{{ else if .B }}y{{ else }}z{{ end }}", "x"),
        ("a {{- if and .A (not .B) }} b {{- end }} c", "a b c"),
        ("{{ range $i, $e := .L }}{{ $i }}{{ $e }}{{ . }};{{ else }}-{{ end }}", "0xx;1yy;"),
        ("{{ $x := 1 }}{{ range .L }}{{ $x = . }}{{ end }}{{ $x }}{{ len .L }}", "y2"),
        ("{{ with .A }}<{{ . }}>{{ end }}{{ /* note */ }}{{ index .L 1 }}{{ slice .L 1 | len }}", "<1>y1"),
        ('{{ "q\\n" }}{{ `r` }}{{ json .L }}{{ $.A }}{{ or .B "d" }}', 'q\nr["x", "y"]1d'),
        ("{{ .No.Thing }}{{ (index .L 0) }}{{ ne .A 2 3 }}", "xTrue"),
    ],
)
def test_go(text: str, written: str) -> None:
    root = {"A": 1, "B": "", "L": ["x", "y"]}
    assert run(go.read(text), {"root": root, "dot": root}) == written


def test_templates_refuse_conversations_themselves() -> None:
    with pytest.raises(Raised, match="no system"):
        told("{{ raise_exception('no system') }}")
    with pytest.raises(NotRead):
        told("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")


# -- response templates ------------------------------------------------------------------------------------------------


def response(**fields: Any) -> dict[str, Any]:
    return {"response_template": {"start_anchor": "<|a|>\n", "fields": fields}}


NAMED = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
XML = {
    "open_pattern": r"<do>\s*<fn=(?P<name>[\w.]+)>",
    "close": "</do>",
    "repeats": True,
    "content": "xml-inline",
    "content_args": {
        "tag_pattern": r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>",
        "value_parser": {"name": "json", "args": {"allow_non_json": True}},
    },
    "transform": NAMED,
}


def test_a_response_template_with_json_calls() -> None:
    format = from_response_template(
        response(
            thinking={"open": "<muse>", "close": "</muse>", "content": "text"},
            tool_calls={"open": "<do>", "close": "</do>", "repeats": True, "content": "json",
                        "transform": {"type": "function", "function": "{content}"}},
            content={"close": ["<|end|>", "<eos>"]},
        )
    )  # fmt: skip
    assert format.turns == Turns("<|a|>\n", ends=("<|end|>", "<eos>"))
    message = parse('<muse>Hm.</muse>Yes.<do>{"name": "f", "arguments": {"a": 1}}</do><|end|>', format, thinking=True)
    assert (message.reasoning, message.content) == ("Hm.", "Yes.")
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("f", '{"a": 1}')]
    assert format.source == (
        "Derived from fields thinking, tool_calls, content and the start anchor of the response_template in "
        "tokenizer_config.json."
    )


def test_parameters_in_tags_and_the_tag_around_them_that_is_passed_over() -> None:
    format = from_response_template(response(tool_calls=XML))
    assert calls("<do>\n<fn=f>\n<p=to>\nGraz\n</p>\n<p=n>\n2\n</p>\n</fn>\n</do>", format) == [
        ("f", {"to": "Graz", "n": 2})
    ]
    assert calls("<do><fn=f><p=to>Graz</p></fn></do><do><fn=g></fn></do>", format) == [("f", {"to": "Graz"}), ("g", {})]


@pytest.mark.parametrize(
    ("field", "codec"),
    [
        ({"open_pattern": r"<c>(?P<name>\w+)\n", "close": "</c>", "content": "json", "transform": NAMED}, Json()),
        (
            {"open": "<c>", "close": "</c>", "content": "json", "transform_each": True,
             "transform": {"function": {"name": "{tool}", "arguments": "{input}"}}},
            JsonCall(("tool",), ("input",), array="always"),
        ),
        (
            {"open": "<c>", "content": "json",
             "transform": {"function": {"name": "{content.tool}", "arguments": "{content.input}"}}},
            JsonCall(("tool",), ("input",)),
        ),
        (
            {"open_pattern": r"<c>call:(?P<name>\w+)", "close": "</c>", "content": "json", "transform": NAMED,
             "content_args": {"unquoted_keys": True, "string_delims": [["<q>", "<q>"]]}},
            Gemma("<q>"),
        ),
        ({"open": "<c>", "close": "</c>", "content": "python-call-list"}, Python()),
        ({"open": "{c}", "close": "</c>", "content": "json"}, JsonCall()),
    ],
)  # fmt: skip
def test_ways_of_writing_arguments(field: dict[str, Any], codec: object) -> None:
    tools = from_response_template(response(tool_calls=field)).tools
    assert isinstance(tools, Tools)
    assert isinstance(tools.call, Call)
    assert tools.call.arguments == codec


JSON_CALL = {"open": "<c>", "close": "</c>", "content": "json"}


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({"fields": {"content": {}}}, "response_template needs start_anchor"),
        ({"start_anchor": "<a>"}, "response_template needs the key 'fields'"),
        ({"start_anchor": "<a>", "fields": {"content": {}}, "version": 2}, "version is 2"),
        ({"start_anchor": "<a>", "field": {}}, "has the key 'field', which isn't known; did you mean 'fields'?"),
        ({"start_anchor": "<a>", "start_anchor_pattern": "<a>", "fields": {"content": {}}}, "has both"),
        (response(citations={"open": "<c>"}), "fields.citations is a field that a format doesn't know"),
        (response(thinking={"open": "<t>"}), "fields.thinking needs close"),
        (response(thinking={"open": "<t>", "close": "", "content": "text"}), "fields.thinking.close must be a text"),
        (response(thinking={"open": "<t>", "close": "</t>", "content": "json"}), "fields.thinking.content is 'json'"),
        (response(content={"opens": "<t>"}), "has the key 'opens', which isn't known; did you mean 'open'?"),
        (response(content={"open": "<t>"}), "fields.content has an opener and no close"),
        (response(tool_calls={**JSON_CALL, "content": "kv-lines"}), "fields.tool_calls.content is 'kv-lines'"),
        (response(tool_calls={**JSON_CALL, "content_args": {"unquoted_keys": True}}), "content_args has unquoted_keys"),
        (response(tool_calls={**JSON_CALL, "transform": {"name": "x"}}), "fields.tool_calls.transform must give"),
        (response(tool_calls={**JSON_CALL, "transform": NAMED}), "takes a call's name from 'name'"),
        (response(tool_calls={**XML, "open_pattern": "<do>", "transform": None}), "open_pattern needs the group name"),
        (response(tool_calls={**XML, "content_args": {"tag_pattern": "<(.*)>"}}), "tag_pattern needs the groups"),
        (response(tool_calls={**XML, "open_pattern": r"<d.*?>"}), "open_pattern has '.*?', which a format can't say"),
        (response(tool_calls={k: v for k, v in XML.items() if k != "close"}), "fields.tool_calls needs close"),
        (response(tool_calls="x"), "fields.tool_calls must be an object"),
    ],
)
def test_what_a_format_can_not_say_is_refused_and_the_key_is_named(template: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError) as refused:
        from_response_template(template)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_chat_template_tells_what_a_response_template_does_not() -> None:
    config = {
        "chat_template": template("tags.jinja"),
        "response_template": {
            "start_anchor": "<|turn:fox|>\n",
            "fields": {
                "thinking": {"open": "<muse>", "close": "</muse>"},
                "tool_calls": {"open": "<do>", "close": "</do>", "content": "json", "repeats": True,
                               "transform": {"function": {"name": "{content.tool}", "arguments": "{content.input}"}}},
                "content": {"close": "<|over|>"},
            },
        },
    }  # fmt: skip
    format = unbraid.derive(tokenizer_config=config, name="fox")
    assert format.name == "fox"
    assert format.turns.others == ("<|turn:user|>", "<|turn:system|>", "<|turn:tool|>")
    assert '"tool": "find_trains"' in format.example
    assert format.source.startswith("Derived from fields thinking, tool_calls, content and the start anchor")
    config["response_template"]["fields"]["tool_calls"]["open"] = "<done>"
    other = unbraid.derive(tokenizer_config=config)
    assert other.source.endswith("The response_template in tokenizer_config.json would read its calls otherwise.")
    assert other.tools == WRITTEN["tags.jinja"][2]


@pytest.mark.parametrize(
    ("pattern", "spelled"),
    [
        (r"<tool_call>\s*<function=(?P<name>\w+)>", ("<tool_call>\n<function={name}>",)),
        (r"<\|x\|>|\[Y\]", ("<|x|>", "[Y]")),
        (r"<a(?: id=(?P<id>[^)>]+))?>", ("<a{? id={id}}>",)),
        (r"(?:</a>|</b>|\Z)", ("</a>", "</b>")),
        (r"\{x\}\n", ("{{x}}\n",)),
        (r"$", ()),
    ],
)
def test_patterns_as_literals(pattern: str, spelled: tuple[str, ...]) -> None:
    assert literals(pattern, "it") == spelled


@pytest.mark.parametrize(
    "pattern", [r"<.+>", r"a*b", r"[ab]c", r"(?=x)y", r"\w+", r"x{2}", r"(a", r"(x)", r"a)", r"^a", r"\bx"]
)
def test_patterns_that_no_literal_says(pattern: str) -> None:
    with pytest.raises(FormatError, match=r"it has .*, which a format can't say"):
        literals(pattern, "it")


def test_the_pattern_of_a_parameter() -> None:
    assert groups(r"<p=(?P<key>\w+)>\s*(?P<value>(?:.|\))*?)\s*</p>", "it") == ("<p={key}>\n", "\n</p>")


@given(st.text(st.sampled_from("()[]{}<>|\\?*+.ab:Pname=$ "), max_size=20))
def test_no_pattern_breaks_it(pattern: str) -> None:
    try:
        assert isinstance(literals(pattern, "it"), tuple)
    except FormatError as refused:
        assert str(refused)


# -- which source ------------------------------------------------------------------------------------------------------


def test_a_shipped_format_keeps_its_name() -> None:
    assert unbraid.derive(model="Qwen/Qwen3-8B") is unbraid.resolve("qwen3")


def test_a_response_template_says_more_than_a_name() -> None:
    made = unbraid.derive(model="Qwen/Qwen3-8B", tokenizer_config=response(tool_calls=JSON_CALL))
    assert made.name == "derived"


def test_the_template_that_writes_calls_is_taken_of_several() -> None:
    several = [{"name": "default", "template": "x"}, {"name": "tool_use", "template": template("array.jinja")}]
    assert unbraid.derive(chat_template=several).tools == WRITTEN["array.jinja"][2]


def test_a_modelfile_holds_its_template() -> None:
    modelfile = f'FROM ./x.gguf\nTEMPLATE """{template("own.tmpl")}"""\nPARAMETER stop "<|end|>"\n'
    assert unbraid.derive(chat_template=modelfile).tools == WRITTEN["own.tmpl"][2]


def test_nothing_to_go_by() -> None:
    with pytest.raises(FormatError, match="nothing to derive a format from; give a chat template"):
        unbraid.derive(tokenizer_config={"model_type": "x"})
    with pytest.raises(FormatError, match="response_schema"):
        unbraid.derive(tokenizer_config={"response_schema": {}})
    with pytest.raises(AttributeError, match="derives"):
        unbraid.derives  # noqa: B018


# -- the command -------------------------------------------------------------------------------------------------------


@needs_toml
def test_the_command_writes_a_file_that_format_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "my-fox.toml"
    assert main(["derive", str(DATA / "tags.jinja"), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[:2] == [
        f"my_fox, written to {out}",
        "  Derived from the chat template, which writes '<|over|>\\n<|turn:fox|>\\n' between a question and its answer",
    ]
    assert said.endswith(f"next: unbraid lint {out}\n      unbraid explain --format {out} reply.txt\n")
    format = load(out)
    assert (format.name, format.turns, format.reasoning, format.tools) == ("my_fox", *WRITTEN["tags.jinja"])
    assert main(["lint", str(out)]) == 0
    capsys.readouterr()
    assert main(["derive", str(DATA / "tags.jinja"), "--out", str(out)]) == 2
    assert "already; give another --out" in capsys.readouterr().err


@needs_toml
def test_the_command_writes_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", str(DATA / "own.tmpl")]) == 0
    written = capsys.readouterr().out
    assert written.startswith("# Made by unbraid derive from own.tmpl. Look it over before use.\n")
    (tmp_path / "own.toml").write_text(written, encoding="utf-8")
    assert load(tmp_path / "own.toml").tools == WRITTEN["own.tmpl"][2]


def test_the_command_says_when_a_listed_format_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"_name_or_path": "Qwen/Qwen3-8B"}', encoding="utf-8")
    out = tmp_path / "mine.toml"
    assert main(["derive", str(tmp_path), "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("qwen3\n  a listed format fits, so none is made; ")
    assert not out.exists()


def test_detect_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(DATA / "tags.jinja")
    assert main(["detect", path]) == 1
    assert f"next: unbraid derive {path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["derive", "nowhere.jinja"], "there is no file 'nowhere.jinja'"),
        (["derive", str(DATA / "tags.jinja"), "--out", "mine.txt"], "--out must end in .toml"),
        (["derive", str(DATA)], "holds none of chat_template.jinja"),
        (["derive"], "required: PATH"),
    ],
)
def test_the_command_refuses_in_a_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
