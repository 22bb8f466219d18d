"""Detection: what each sign is worth, ties, what paths hold, and 178 chat templates that we didn't write.

Those templates carry their authors' licences and aren't part of the project. They are looked for in the directory that
``UNBRAID_TEMPLATES`` names, or in ``../shared/templates`` beside the project, and the tests that need them are skipped
where there is none. What is expected of each is ``data/templates.tsv``; the other tests run anywhere.
"""

from __future__ import annotations

import csv
import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid import OptionError, detect, formats
from unbraid.checks import all_markers
from unbraid.cli import main
from unbraid.format import Format, FormatError, Signs, Turns, spellings
from unbraid.load import loads

CHATML = "{{ '<|im_start|>' + message.role + '\\n' }}"
QWEN3 = (
    CHATML + """{{ '<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + call.arguments }} {{ tool_calls }}"""
)
CODER = CHATML + "{{ '<tool_call>\\n<function=' + name + '>\\n<parameter=' + key + '>' }} {{ tool_calls }}"
GLM = "[gMASK]<sop>{{ '<tool_call>' + name }}<arg_key>{{ key }}</arg_key><arg_value>{{ value }}</arg_value>"

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("UNBRAID_TEMPLATES") or HERE.parent.parent / "shared" / "templates")
with (HERE / "data" / "templates.tsv").open(encoding="utf-8", newline="") as table:
    EXPECTED = {row["template"]: row["format"] for row in csv.DictReader(table, delimiter="\t")}
needs_templates = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"there are no chat templates in {FOLDER}")


def named(name: str, *signs: Signs) -> Format:
    """A format of which nothing but its signs matters."""
    return Format(name, Turns("<assistant>"), signs=signs)


# ------------------------------------------------------------ templates that we didn't write


def test_every_expected_format_is_shipped() -> None:
    assert set(EXPECTED.values()) <= {"unknown", *formats()}


@needs_templates
@pytest.mark.parametrize("template", EXPECTED)
def test_template(template: str) -> None:
    expected = EXPECTED[template]
    told = detect(chat_template=(FOLDER / template).read_text(encoding="utf-8"))
    assert (told.format or "unknown") == expected, str(told)


@needs_templates
def test_every_template_is_expected_to_be_something() -> None:
    assert {file.name for file in FOLDER.glob("*.jinja")} == set(EXPECTED)


NOT_RENDERED = {
    "command-a-gguf.jinja": "doesn't write the calls of a conversation",
    "command-r7b-ov.default.jinja": "doesn't write the calls of a conversation",
    "deepseek-r1-llamacpp.jinja": "asks for JSON of what isn't JSON",
    "falcon-h1.jinja": "doesn't write the calls of a conversation",
    "functiongemma.jinja": "writes numbers as strings",
    "gemma3-pythonic-vllm.jinja": "writes nothing between two arguments",
    "granite3.1.jinja": "doesn't write the calls of a conversation",
    "granite3.2-2b.jinja": "doesn't write the calls of a conversation",
    "granite3.3.jinja": "doesn't write the calls of a conversation",
    "hunyuan-a13b.jinja": "doesn't write the calls of a conversation",
    "lfm2-8b-a1b.jinja": "doesn't write the calls of a conversation",
    "lfm2.5-instruct.jinja": "doesn't write the calls of a conversation",
    "lfm2.jinja": "doesn't write the calls of a conversation",
    "llama3.2-pythonic-vllm.jinja": "writes strings without quotes",
    "llama4-gguf.jinja": "writes the content of a call's message into markers that models don't write",
    "llama4-pythonic-vllm.jinja": "writes numbers as strings",
    "llama4.jinja": "writes the content of a call's message into markers that models don't write",
    "olmo3-instruct-train.jinja": "doesn't write the calls of a conversation",
    "olmo3-nothink-7b-train.jinja": "doesn't write the calls of a conversation",
    "olmo3-think-train.jinja": "doesn't write the calls of a conversation",
    "smollm3.jinja": "doesn't write the calls of a conversation",
    "toolace.jinja": "writes strings without quotes",
}
"""Templates from which no call can be had to compare, and why."""

ARGUMENTS = {"to": "Graz", "seats": 2}
TOOL = {
    "name": "find_trains",
    "description": "Trains to a place.",
    "parameters": {
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "where to"},
            "seats": {"type": "integer", "description": "how many"},
        },
        "required": ["to"],
    },
}


@needs_templates
@pytest.mark.parametrize(
    "template", [name for name in EXPECTED if EXPECTED[name] != "unknown" and name not in NOT_RENDERED]
)
def test_the_expected_format_reads_what_the_template_writes(template: str) -> None:
    """The table itself is right: a call in a conversation, as the template writes it, is read by that format."""
    expected = EXPECTED[template]
    told = []
    for before, written in rendered((FOLDER / template).read_text(encoding="utf-8")):
        calls = unbraid.parse(written, expected, tools=[TOOL], prompt=before).tool_calls
        if [(call.name, plain(call.arguments)) for call in calls] == [("find_trains", ARGUMENTS)]:
            return
        told.append(written)
    pytest.fail(f"none of these was read: {told}")


def plain(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def rendered(template: str) -> Iterator[tuple[str, str]]:
    """A conversation that ends in a call, cut where the assistant's words begin, each way the template takes."""
    jinja2 = pytest.importorskip("jinja2")
    from jinja2.ext import Extension
    from jinja2.sandbox import SandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}``, which marks what a model wrote and changes nothing here."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(["name:endgeneration"], drop_needle=True)

    def refuse(why: str) -> None:
        raise jinja2.TemplateError(why)

    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation]
    )
    environment.globals |= {"raise_exception": refuse, "strftime_now": lambda form: "1 January 2026"}
    environment.filters |= {
        "from_json": json.loads,
        "tojson": lambda value, ensure_ascii=False, **options: json.dumps(value, ensure_ascii=False, **options),
    }
    compiled = environment.from_string(template)
    options = {"tools": [{"type": "function", "function": TOOL}], "bos_token": "<s>", "eos_token": "</s>"}
    question = {"role": "user", "content": "Trains to Graz?"}
    for arguments in (ARGUMENTS, json.dumps(ARGUMENTS)):
        for content in ("", None, "Looking."):
            for id in ("functions.find_trains:0", "abcdefghi"):
                function = {"name": "find_trains", "arguments": arguments}
                call = {"id": id, "type": "function", "function": function}
                answer = {"role": "assistant", "content": content, "tool_calls": [call]}
                try:
                    prompt = compiled.render(messages=[question], add_generation_prompt=True, **options)
                    whole = compiled.render(messages=[question, answer], add_generation_prompt=False, **options)
                except (jinja2.TemplateError, TypeError):
                    continue
                at = next(
                    (at for at, pair in enumerate(zip(prompt, whole, strict=False)) if len(set(pair)) > 1), len(prompt)
                )
                yield whole[:at], whole[at:]


# ------------------------------------------------------------ what decides


def test_template_decides() -> None:
    told = detect(chat_template=QWEN3)
    assert told.format == "qwen3"
    assert {each.sign for each in told.evidence} >= {"<|im_start|>", "<tool_call>"}
    assert all(each.source == "template" and each.found == "chat template" for each in told.evidence)
    assert "chat template holds '<|im_start|>', '<tool_call>'" in str(told)


def test_more_of_the_same_is_more_specific() -> None:
    assert detect(chat_template=CODER).format == "qwen3_coder"
    assert detect(chat_template=CODER + "{{ '<im_patch>' }}").format == "step3p5"


def test_longer_text_is_more_specific() -> None:
    short, long = named("short", Signs(template=("calls>",))), named("long", Signs(template=("<my_calls>",)))
    assert detect(chat_template="<my_calls>", among=[short, long]).format == "long"
    assert detect(chat_template="<your_calls>", among=[short, long]).format == "short"


def test_tie_is_unknown() -> None:
    one, other = named("one", Signs(template=("<a>",))), named("other", Signs(template=("<b>",)))
    told = detect(chat_template="<a><b>", among=[one, other])
    assert told.format is None
    assert told.evidence == ()
    assert {each.format for each in told.others} == {"one", "other"}
    assert "one and other" in told.why


def test_same_evidence_is_a_tie() -> None:
    one, other = named("one", Signs(template=("<a>", "<b>"))), named("other", Signs(template=("<b>", "<a>")))
    assert detect(chat_template="<a><b>", among=[one, other]).format is None


def test_markers_of_two_families_are_a_tie() -> None:
    assert detect(chat_template=GLM + "<minimax:tool_call>").format is None


def test_nothing_is_unknown() -> None:
    told = detect()
    assert (told.format, told.others, told.looked_at) == (None, (), ())
    assert "unknown" in str(told)


def test_plain_turns_are_unknown() -> None:
    assert detect(chat_template=CHATML).format is None


def test_absent_text_speaks_against() -> None:
    assert detect(chat_template=QWEN3 + "<use_mcp_tool>").format is None


def test_alternatives_count_together() -> None:
    both = named("both", Signs(template=("<a>",)), Signs(template=("<b>",)))
    assert detect(chat_template="<a>", among=[both]).format == "both"
    assert len(detect(chat_template="<a><b>", among=[both]).evidence) == 2


def test_all_of_a_sign_must_hold() -> None:
    sign = Signs(template=("<a>",), models=("*mine*",))
    assert detect(chat_template="<a>", among=[named("mine", sign)]).format is None
    assert detect(model="mine", among=[named("mine", sign)]).format is None
    assert detect(chat_template="<a>", model="mine", among=[named("mine", sign)]).format == "mine"


def test_name_tells_formats_with_one_template_apart() -> None:
    assert detect(chat_template=CODER, model="stepfun-ai/Step-3.7-Flash").format == "step3p5"


def test_comments_of_a_template_dont_count() -> None:
    assert detect(chat_template=CHATML + "{# like <minimax:tool_call> #}").format is None


def test_escapes_are_read_as_they_are_written() -> None:
    escaped = CHATML + r"""{{ "<tool_call>\n{\"name\": <name>, \"arguments\": <object>}" }}"""
    assert detect(chat_template=escaped).format == "qwen3"


# ------------------------------------------------------------ names and configurations


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("Qwen/Qwen3-8B", "qwen3"),
        ("QWEN3 8B", "qwen3"),
        ("qwen3:0.6b", "qwen3"),
        ("unsloth/Qwen3-4B-Thinking-2507-GGUF", "qwen3"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
        ("Qwen/Qwen3.5-9B", "qwen3_coder"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v31"),
        ("moonshotai/Kimi-K2-Thinking", "kimi_k2"),
        ("zai-org/GLM-4.5-Air", "glm47"),
        ("zai-org/GLM-4-32B-0414", None),
        ("openai/gpt-oss-20b", "gpt_oss"),
        ("internlm/internlm2_5-7b-chat", "internlm"),
        ("google/gemma-3-27b-it", None),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", None),
        ("meta-llama/Llama-2-7b-chat-hf", None),
        ("my-own-model", None),
    ],
)
def test_name(name: str, format: str | None) -> None:
    assert detect(model=name).format == format


def test_template_beats_name() -> None:
    told = detect(chat_template=GLM, model="Qwen/Qwen3-8B")
    assert told.format == "glm47"
    assert "would say qwen3" in told.why
    assert [each.format for each in told.others] == ["qwen3"]


def test_name_decides_where_the_template_says_nothing() -> None:
    assert detect(chat_template=CHATML, model="Qwen/Qwen3-8B").format == "qwen3"


def test_name_doesnt_decide_against_calls_of_another_kind() -> None:
    told = detect(chat_template=CHATML + "{{ '<my_call>' + message.tool_calls }}", model="Qwen/Qwen3-8B")
    assert told.format is None
    assert "no format is recognised by" in told.why


def test_model_configuration() -> None:
    assert detect(model={"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss"}).format == "gpt_oss"
    told = detect(model={"text_config": {"model_type": "qwen3_5"}})
    assert told.format == "qwen3_coder"
    assert "model type 'qwen3_5' fits 'qwen3_5'" in str(told)
    assert detect(model={"_name_or_path": "Qwen/Qwen3-8B"}).format == "qwen3"


def test_architecture_of_several_formats_is_no_sign() -> None:
    for architecture in ("LlamaForCausalLM", "Qwen3MoeForCausalLM", "DeepseekV3ForCausalLM", "NemotronHForCausalLM"):
        assert detect(model={"architectures": [architecture]}).format is None


def test_name_is_no_architecture() -> None:
    """Patterns for names aren't tried on architectures: many models share one and write different formats."""
    assert detect(model={"model_type": "qwen3-coder"}).format is None


def test_tokenizer_configuration() -> None:
    assert detect(tokenizer_config={"chat_template": QWEN3}).format == "qwen3"
    several = [{"name": "default", "template": CHATML}, {"name": "tool_use", "template": QWEN3}]
    assert detect(tokenizer_config={"chat_template": several}).format == "qwen3"
    assert detect(chat_template=GLM, tokenizer_config={"chat_template": QWEN3}).format == "glm47"


def test_added_tokens() -> None:
    tokens = {"7": {"content": "<|tool_calls_section_begin|>"}, "8": {"content": "<|tool_call_argument_begin|>"}}
    told = detect(tokenizer_config={"added_tokens_decoder": tokens})
    assert told.format == "kimi_k2"
    assert "added tokens hold '<|tool_calls_section_begin|>'" in str(told)
    assert detect(tokenizer_config={"additional_special_tokens": ["<seed:tool_call>"]}).format == "seed_oss"
    assert detect(chat_template=GLM, tokenizer_config={"added_tokens_decoder": tokens}).format == "glm47"


def test_toggles_of_the_template() -> None:
    assert detect(chat_template=QWEN3 + "{% if enable_thinking %}").toggles == ("enable_thinking",)
    assert detect(chat_template=QWEN3 + "{% if my_enable_thinking2 %}").toggles == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"chat_template": 7}, "chat template"),
        ({"tokenizer_config": 7}, "tokenizer_config"),
        ({"tokenizer_config": "no/such.json"}, "no/such.json"),
        ({"model": 7}, "model"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        detect(**given)


def test_wrong_configuration_files(tmp_path: Path) -> None:
    for text in ("no JSON", "[1]"):
        (tmp_path / "it.json").write_text(text)
        with pytest.raises(OptionError, match=r"it\.json"):
            detect(tokenizer_config=tmp_path / "it.json")


# ------------------------------------------------------------ the data


def test_every_format_has_signs() -> None:
    assert [each.name for each in formats().values() if not each.signs] == []


def test_no_two_formats_have_the_same_signs() -> None:
    seen: dict[Signs, str] = {}
    for each in formats().values():
        for signs in each.signs:
            assert signs not in seen, f"{each.name} and {seen[signs]} have {signs}"
            seen[signs] = each.name


def literals(format: Format) -> str:
    """All that a format knows to be markup."""
    markers = [literal for _, spelling in all_markers(format) for literal in spellings(spelling)]
    return "\n".join([*markers, *format.turns.others, *format.turns.ends, *format.special])


@pytest.mark.parametrize("name", formats())
def test_signs_are_of_the_format_itself(name: str) -> None:
    """A marker that other formats have and this one doesn't is no sign of it, and something of its own is in each.

    Words alone, such as a template's variables, are no markers.
    """
    format = formats()[name]
    own = literals(format)
    foreign = [literals(each) for each in formats().values() if each is not format]
    for signs in format.signs:
        for text in (*signs.template, *signs.vocabulary):
            marker = any(text in each for each in foreign) and not text.replace("_", "").isalpha()
            assert not marker or text in own, f"{text!r} is a marker of another format"
        if signs.template:
            assert any(text in own for text in signs.template), f"nothing of {name} is in {signs.template}"
        assert all(token in own for token in signs.vocabulary)


def test_signs_of_a_format_in_a_file() -> None:
    """A format of one's own is recognised like the shipped ones."""
    mine = loads(
        json.dumps(
            {
                "name": "mine",
                "turns": {"assistant": "<assistant>"},
                "signs": [{"template": ["<my_call>"], "absent": ["<your_call>"]}, {"models": ["*my-model*"]}],
            }
        ),
        "mine.json",
    )
    among = [*formats().values(), mine]
    assert detect(chat_template="<my_call>", among=among).format == "mine"
    assert detect(chat_template="<my_call><your_call>", among=among).format is None
    assert detect(model="My_Model 7B", among=among).format == "mine"


@pytest.mark.parametrize("name", formats())
def test_what_a_format_writes_is_not_taken_for_what_another_reads_differently(name: str) -> None:
    """A template of a format's own words may be too little to tell it, or say one that reads the same calls."""
    format = formats()[name]
    template = "\n".join([*spellings(format.turns.assistant), *format.special, format.example])
    told = detect(chat_template=template).format or name
    thinking = format.reasoning is not None
    meant, read = (
        [
            (call.name, plain(call.arguments))
            for call in unbraid.parse(format.example, each, tools=[TOOL], thinking=thinking).tool_calls
        ]
        for each in (name, told)
    )
    assert read == meant, f"{name} would be taken for {told}"


def test_empty_signs_are_refused() -> None:
    with pytest.raises(FormatError, match="signs are empty"):
        named("mine", Signs(absent=("<a>",)))


TEXTS = sorted({text for each in formats().values() for signs in each.signs for text in signs.template})


@given(st.lists(st.sampled_from(TEXTS), unique=True), st.randoms(use_true_random=False))
def test_the_answer_has_all_evidence_there_is(texts: list[str], random: Any) -> None:
    """Whatever stands in a template: the answer found all that any other found, and the order of formats is nothing."""
    template = " ".join(texts)
    told = detect(chat_template=template)
    shuffled = list(formats().values())
    random.shuffle(shuffled)
    assert detect(chat_template=template, among=shuffled) == told
    found = [each.sign for each in told.evidence]
    assert all(sign in template for sign in found)
    if told.format is not None:
        for other in told.others:
            assert all(any(each.sign in sign for sign in found) for each in other.evidence)


# ------------------------------------------------------------ paths, and the command


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """The exit code of ``unbraid detect``, and what it said."""
    code = main(["detect", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.err if code == 2 else captured.out


def gguf(path: Path, **texts: str) -> Path:
    """A GGUF file that has these texts and, of tokens, a normal and an added one."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    pairs = [text(key) + struct.pack("<I", 8) + text(value) for key, value in texts.items()]
    tokens = [b"<minimax:tool_call>", b"<seed:tool_call>"]
    pairs.append(
        text("tokenizer.ggml.tokens")
        + struct.pack("<IIQ", 9, 8, len(tokens))
        + b"".join(struct.pack("<Q", len(token)) + token for token in tokens)
    )
    pairs.append(text("tokenizer.ggml.token_type") + struct.pack("<IIQ2i", 9, 5, 2, 1, 4))
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs))
    return path


def test_template_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "it.jinja").write_text(QWEN3)
    code, said = ran(capsys, tmp_path / "it.jinja")
    assert code == 0
    assert said.startswith("qwen3\n  chat template holds")
    assert "unbraid explain --format qwen3" in said


def test_configuration_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": GLM}))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt_oss"}))
    assert ran(capsys, tmp_path / "tokenizer_config.json")[1].startswith("glm47\n")
    assert ran(capsys, tmp_path / "config.json")[1].startswith("gpt_oss\n")


def test_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt_oss"}))
    assert ran(capsys, tmp_path)[1].startswith("gpt_oss\n")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": GLM}))
    code, said = ran(capsys, tmp_path)
    assert code == 0
    assert said.startswith("glm47\n")
    assert "would say gpt_oss" in said
    assert "read: tokenizer_config.json, config.json" in said
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": CODER}))
    assert ran(capsys, tmp_path)[1].startswith("qwen3_coder\n")
    (tmp_path / "chat_template.jinja").write_text(QWEN3)
    assert ran(capsys, tmp_path)[1].startswith("qwen3\n")


def test_directory_is_named_after_the_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "Qwen3-8B"
    model.mkdir()
    (model / "config.json").write_text("{}")
    assert ran(capsys, model)[1].startswith("qwen3\n")


def test_gguf(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = gguf(tmp_path / "it.gguf", **{"tokenizer.chat_template": QWEN3, "general.name": "Thing"})
    assert ran(capsys, file)[1].startswith("qwen3\n")
    assert ran(capsys, tmp_path)[1].startswith("qwen3\n")
    named_ones = {"tokenizer.chat_template": CHATML, "tokenizer.chat_template.tool_use": CODER}
    assert ran(capsys, gguf(tmp_path / "it.gguf", **named_ones))[1].startswith("qwen3_coder\n")


def test_gguf_without_a_template(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Added tokens count, ordinary ones of the vocabulary don't; then the architecture and the name."""
    file = gguf(tmp_path / "it.gguf", **{"general.architecture": "gpt-oss", "general.name": "Qwen3 8B"})
    told = json.loads(ran(capsys, file, "--json")[1])
    assert told["format"] == "seed_oss"
    assert {each["format"] for each in told["others"]} == {"gpt_oss", "qwen3"}


def test_name_and_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, said = ran(capsys, "--model", "Qwen/Qwen3-8B", "--json")
    told = json.loads(said)
    assert (code, told["format"], told["files"]) == (0, "qwen3", [])
    assert told["evidence"] == [{"source": "model", "sign": "*qwen3-*", "found": "model name 'Qwen/Qwen3-8B'"}]
    (tmp_path / "it.jinja").write_text(GLM)
    assert json.loads(ran(capsys, tmp_path / "it.jinja", "--model", "Qwen/Qwen3-8B", "--json")[1])["format"] == "glm47"


def test_unknown_says_what_was_looked_at(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "it.jinja").write_text(CHATML)
    code, said = ran(capsys, tmp_path / "it.jinja", "--model", "my-own")
    assert code == 1
    assert said.startswith("unknown\n")
    assert "looked at: chat template, model name 'my-own'" in said
    assert "unbraid formats" in said
    assert json.loads(ran(capsys, tmp_path / "it.jinja", "--json")[1])["format"] is None


def test_wrong_paths_are_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "right.jinja").write_text(CHATML)
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"name": "package"}')
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "weights.bin").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "broken.gguf").write_bytes(b"GGML")
    (tmp_path / "empty").mkdir()
    (tmp_path / "several").mkdir()
    for name in ("a", "b"):
        gguf(tmp_path / "several" / f"{name}.gguf")
    for path, saying in {
        "wright.jinja": "did you mean",
        "broken.json": "line 1, column 2",
        "other.json": "give tokenizer_config.json or config.json",
        "list.json": "must hold a JSON object",
        "weights.bin": "is not text",
        "broken.gguf": "GGUF",
        "empty": "holds none of chat_template.jinja",
        "several": "2 GGUF files",
    }.items():
        code, said = ran(capsys, tmp_path / path)
        assert code == 2, path
        assert saying in said
        assert said.startswith("unbraid: ")
        assert said.count("\n") == 1
        assert said.endswith((".\n", "?\n"))
    assert ran(capsys)[0] == 2


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["detect", "--help"])
    assert "unbraid detect models/Qwen3-8B" in capsys.readouterr().out
