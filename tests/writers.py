"""Independent writers: a message in, the text that a model of that format would have written out.

The writers are plain functions, written by hand from what the models' chat templates print. They don't read
:class:`unbraid.format.Format`, so that a mistake in a format's data can't hide itself in its own test. A format may
have several writers, one per layout that its models are known to use. Each returns the text and the end of the prompt
that came before it (which says where the text starts: in reasoning or in content).

What a format truly can't express is listed beside its writer, each with the reason: a message for which one of these
holds would read back differently by *any* reader, because another message is written with the same characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from families import FAMILIES
from writing import (
    LAYOUT,
    LINE_BEFORE_CALL,
    THINK,
    Call,
    Exclusion,
    Said,
    Writer,
    Written,
    content_matches,
    ends_of_turn,
    raw_values,
    text_has,
    thinking,
    values_as_text,
    values_of,
    whole_header,
)

# --- Qwen3, Hermes: a JSON object with name and arguments -----------------------------------------------------------

QWEN_PROMPT = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
QWEN_OFF = QWEN_PROMPT + "<think>\n\n</think>\n\n"
QWEN_ENDS = Exclusion("an end-of-turn marker is markup wherever it stands", text_has("<|im_end|>", "<|endoftext|>"))


def _qwen3_call(call: Call) -> str:
    return f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}\n</tool_call>'


def _qwen3_turned_call(call: Call) -> str:
    return f'<tool_call>\n{{"arguments": {call.text}, "name": {json.dumps(call.name)}}}\n</tool_call>'


def _qwen3_string_call(call: Call) -> str:
    return f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {json.dumps(call.text)}}}\n</tool_call>'


def _qwen3_body(said: Said, write: Callable[[Call], str] = _qwen3_call) -> str:
    calls = "\n".join(write(call) for call in said.calls)
    return said.content + ("\n" if said.content and said.calls else "") + calls + said.after


def qwen3(said: Said) -> Written:
    """Qwen3 hybrid: the model writes the opener itself."""
    if said.reasoning is None:
        return Written(_qwen3_body(said), QWEN_OFF)
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + _qwen3_body(said), QWEN_PROMPT)


def qwen3_prefilled(said: Said) -> Written:
    """Qwen3-Thinking: the prompt wrote the opener. Without reasoning: Hermes and Qwen2.5, which have none."""
    if said.reasoning is None:
        return Written(_qwen3_body(said), QWEN_PROMPT)
    return Written(f"{said.reasoning}\n</think>\n\n" + _qwen3_body(said), QWEN_PROMPT + "<think>\n")


def qwen3_turned(said: Said) -> Written:
    """The arguments before the name."""
    return qwen3(said)._replace(text=qwen3(Said(said.reasoning, "")).text + _qwen3_body(said, _qwen3_turned_call))


def qwen3_string(said: Said) -> Written:
    """The arguments as a JSON string that holds JSON."""
    return qwen3(said)._replace(text=qwen3(Said(said.reasoning, "")).text + _qwen3_body(said, _qwen3_string_call))


def qwen3_array(said: Said) -> Written:
    """All calls in one pair of tags, as a JSON array (seen from Hermes models)."""
    objects = ", ".join(f'{{"name": {json.dumps(c.name)}, "arguments": {c.text}}}' for c in said.calls)
    calls = f"<tool_call>\n[{objects}]\n</tool_call>" if said.calls else ""
    body = said.content + ("\n" if said.content and said.calls else "") + calls + said.after
    return qwen3(said)._replace(text=qwen3(Said(said.reasoning, "")).text + body)


QWEN3_EXCLUDED = (
    *THINK,
    LAYOUT,
    QWEN_ENDS,
    Exclusion(
        "content with an opener and the start of a JSON value is a call", content_matches(r"<tool_call>\s*[\[{]")
    ),
    Exclusion(
        "one or two line ends before a call are layout (both are written by models), so content's own can't be told",
        lambda said: bool(said.calls) and said.content.endswith("\n"),
    ),
)


# --- Qwen3-Coder: one element per parameter -------------------------------------------------------------------------


def _python_scalar(value: Any) -> str:
    return str(value)


def _qwen3_coder_call(call: Call, scalar: Callable[[Any], str]) -> str:
    values = values_as_text(call, scalar)
    parameters = "".join(f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in values.items())
    return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


def _qwen3_coder_body(said: Said, scalar: Callable[[Any], str] = json.dumps) -> str:
    calls = "\n".join(_qwen3_coder_call(call, scalar) for call in said.calls)
    return said.content + ("\n\n" if said.content and said.calls else "") + calls + said.after


def qwen3_coder(said: Said) -> Written:
    """Qwen3.5 and later: the prompt wrote the opener."""
    if said.reasoning is None:
        return Written(_qwen3_coder_body(said), QWEN_OFF)
    return Written(f"{said.reasoning}\n</think>\n\n" + _qwen3_coder_body(said), QWEN_PROMPT + "<think>\n")


def qwen3_coder_opens(said: Said) -> Written:
    """The model writes the opener. Without reasoning: Qwen3-Coder, which has none."""
    if said.reasoning is None:
        return Written(_qwen3_coder_body(said), QWEN_PROMPT)
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + _qwen3_coder_body(said), QWEN_PROMPT)


def qwen3_coder_python(said: Said) -> Written:
    """Qwen3-Coder-30B and Qwen3.5-9B print scalars as Python does."""
    head = qwen3_coder(Said(said.reasoning, ""))
    return head._replace(text=head.text + _qwen3_coder_body(said, _python_scalar))


_QWEN_CLOSED = re.compile(r"</parameter>\s*(?:</parameter>|<parameter=|</function>|</tool_call>)")
_QWEN_ENDED = re.compile(
    r"</function>\s*(?:</tool_call>|<function=|<tool_call>\s*<function=|<\|im_end\|>|<\|endoftext\|>)"
)
_QWEN_NEXT = re.compile(r"(?:^|\n)<parameter=([^<>]*)>")


def _qwen3_coder_closed_inside(said: Said) -> bool:
    for call in said.calls:
        for text in values_as_text(call).values():
            found = _QWEN_CLOSED.search(text + "\n</parameter>")
            if found and found.start() < len(text):
                return True
    return False


QWEN3_CODER_EXCLUDED = (
    *THINK,
    LAYOUT,
    QWEN_ENDS,
    Exclusion(
        "content with a whole call header is a call", content_matches(r"<function=[^<>]*>|<tool_call>\s*<function=")
    ),
    Exclusion(
        "a value with a closer, and then text that goes on as after a value (the next parameter, the call's end, or "
        "the closer once more, which models double), is over there",
        _qwen3_coder_closed_inside,
    ),
    Exclusion(
        "a value that ends its call, in full, is over there: models forget the parameter's closer",
        lambda said: any(_QWEN_ENDED.search(v) for c in said.calls for v in values_as_text(c).values()),
    ),
    Exclusion(
        "a value with a declared parameter's opener at the start of a line is over there: models forget the closer",
        lambda said: any(
            key in call.declared
            for call in said.calls
            for text in values_as_text(call).values()
            for key in _QWEN_NEXT.findall(text)
        ),
    ),
)


# --- DeepSeek V3.1: name, separator, JSON ---------------------------------------------------------------------------


def _deepseek_v31_body(said: Said) -> str:
    calls = "".join(
        f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{call.text}<｜tool▁call▁end｜>" for call in said.calls
    )
    section = f"<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>" if calls else ""
    return said.content + section + said.after


def deepseek_v31(said: Said) -> Written:
    """DeepSeek V3.1 and V3.1-Terminus."""
    if said.reasoning is None:
        return Written(_deepseek_v31_body(said), "<｜User｜>hi<｜Assistant｜></think>")
    return Written(f"{said.reasoning}</think>" + _deepseek_v31_body(said), "<｜User｜>hi<｜Assistant｜><think>")


DEEPSEEK_V31_EXCLUDED = (
    *THINK,
    LAYOUT,
    Exclusion("an end-of-turn marker is markup wherever it stands", text_has("<｜end▁of▁sentence｜>")),
    Exclusion(
        "content with a whole call header is a call",
        content_matches(r"<｜tool▁call▁begin｜>[^<>｜\n]*<｜tool▁sep｜>"),
    ),
    Exclusion(
        "a repeated section opener before the calls is one opener",
        lambda said: bool(said.calls) and said.content.rstrip().endswith("<｜tool▁calls▁begin｜>"),
    ),
)


# --- Kimi K2: ids on the wire ---------------------------------------------------------------------------------------

KIMI_PROMPT = "<|im_user|>user<|im_middle|>hi<|im_end|><|im_assistant|>assistant<|im_middle|>"


def _kimi_ids(said: Said) -> tuple[str, ...]:
    return tuple(f"functions.{call.name}:{index}" for index, call in enumerate(said.calls))


def _kimi_k2_body(said: Said) -> str:
    calls = "".join(
        f"<|tool_call_begin|>{id}<|tool_call_argument_begin|>{call.text}<|tool_call_end|>"
        for id, call in zip(_kimi_ids(said), said.calls, strict=True)
    )
    section = f"<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>" if calls else ""
    return said.content + section + said.after


def kimi_k2(said: Said) -> Written:
    """Kimi K2-Thinking, K2.5 and K2.6: the prompt wrote the opener, or an empty block."""
    if said.reasoning is None:
        return Written(_kimi_k2_body(said), KIMI_PROMPT + "<think></think>", _kimi_ids(said))
    text = f"{said.reasoning}</think>" + _kimi_k2_body(said)
    return Written(text, KIMI_PROMPT + "<think>", _kimi_ids(said))


def kimi_k2_instruct(said: Said) -> Written:
    """Kimi K2-Instruct, which doesn't think; a checkpoint that thinks under its prompt writes the opener itself."""
    head = "" if said.reasoning is None else f"<think>{said.reasoning}</think>"
    return Written(head + _kimi_k2_body(said), KIMI_PROMPT, _kimi_ids(said))


KIMI_K2_EXCLUDED = (
    *THINK,
    LAYOUT,
    Exclusion("an end-of-turn marker is markup wherever it stands", text_has("<|im_end|>", "[EOS]")),
    Exclusion(
        "words after a section's opener are noise until the section ends",
        content_matches(r"<\|tool_calls?_section_begin\|>"),
    ),
    Exclusion(
        "content with a whole call header is a call",
        content_matches(r"<\|tool_call_begin\|>[^<>|]*<\|tool_call_argument_begin\|>"),
    ),
)


# --- GLM: key/value pairs -------------------------------------------------------------------------------------------


def _glm47_calls(said: Said) -> str:
    return "".join(
        f"<tool_call>{call.name}"
        + "".join(
            f"<arg_key>{key}</arg_key><arg_value>{text}</arg_value>" for key, text in values_as_text(call).items()
        )
        + "</tool_call>"
        for call in said.calls
    )


def _glm45_calls(said: Said) -> str:
    return "".join(
        f"\n<tool_call>{call.name}\n"
        + "".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{text}</arg_value>\n" for key, text in values_as_text(call).items()
        )
        + "</tool_call>"
        for call in said.calls
    )


def glm47(said: Said) -> Written:
    """GLM-4.7 and GLM-5: everything without line ends; the prompt opens or closes thinking."""
    body = said.content + _glm47_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, "<|user|>hi<|assistant|></think>")
    return Written(f"{said.reasoning}</think>" + body, "<|user|>hi<|assistant|><think>")


def glm45(said: Said) -> Written:
    """GLM-4.5 and GLM-4.6: one pair a line; the model opens thinking itself."""
    body = ("\n" + said.content if said.content else "") + _glm45_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, "<|user|>\nhi/nothink<|assistant|>\n<think></think>")
    return Written(f"\n<think>{said.reasoning}</think>" + body, "<|user|>\nhi<|assistant|>")


_GLM_CLOSED = re.compile(r"</arg_value>\s*(?:</arg_value>|<arg_key>|</tool_call>)")
_GLM_ENDED = re.compile(r"</tool_call>\s*(?:<tool_call>|<\|user\|>|<\|observation\|>|<\|endoftext\|>)")
_GLM_NEXT = re.compile(r"(?:^|\n)<arg_key>([^<>]*)</arg_key>\s*<arg_value>")


def _glm_closed_inside(said: Said) -> bool:
    for call in said.calls:
        for text in values_as_text(call).values():
            found = _GLM_CLOSED.search(text + "</arg_value>")
            if found and found.start() < len(text):
                return True
    return False


GLM45_EXCLUDED = (
    *THINK,
    LAYOUT,
    Exclusion(
        "an end-of-turn marker is markup wherever it stands", text_has("<|user|>", "<|observation|>", "<|endoftext|>")
    ),
    Exclusion(
        "content with an opener, a name and what follows a name is a call",
        content_matches(r"<tool_call>\s*[^\s<>]+\s*(?:<arg_key>|</tool_call>|$)"),
    ),
    Exclusion(
        "a value with a closer, and then text that goes on as after a value (the next pair, the call's end, or the "
        "closer once more), is over there",
        _glm_closed_inside,
    ),
    Exclusion(
        "a value that ends its call, with the next call or the turn's end behind that, is over there: models forget "
        "the value's closer",
        lambda said: any(_GLM_ENDED.search(v) for c in said.calls for v in values_as_text(c).values()),
    ),
    Exclusion(
        "a value with a declared key's opener at the start of a line is over there: models forget the closer",
        lambda said: any(
            key.strip() in call.declared
            for call in said.calls
            for text in values_as_text(call).values()
            for key in _GLM_NEXT.findall(text)
        ),
    ),
)

GLM47_EXCLUDED = (
    *GLM45_EXCLUDED,
    Exclusion(
        "in the compact layout a line end after thinking, and a line end or a space before a call, may be another's",
        lambda said: said.content.startswith("\n") or (bool(said.calls) and said.content.endswith(("\n", " "))),
    ),
)


# --- MiniMax M2: attribute XML in one section -----------------------------------------------------------------------

MINIMAX_PROMPT = "]~!b[]~b]system\nYou are helpful.[e~[\n]~b]user\nhi[e~[\n]~b]ai\n<think>\n"


def _minimax_m2_body(said: Said, quotes: str = '"') -> str:
    calls = "".join(
        f"<invoke name={quotes}{call.name}{quotes}>\n"
        + "".join(
            f"<parameter name={quotes}{key}{quotes}>{text}</parameter>\n" for key, text in values_as_text(call).items()
        )
        + "</invoke>\n"
        for call in said.calls
    )
    return said.content + (f"\n<minimax:tool_call>\n{calls}</minimax:tool_call>" if calls else "") + said.after


def minimax_m2(said: Said) -> Written:
    """The prompt wrote the opener and there is no way to switch thinking off, so without reasoning it is empty."""
    return Written(f"{said.reasoning or ''}\n</think>\n\n" + _minimax_m2_body(said), MINIMAX_PROMPT)


def minimax_m2_single(said: Said) -> Written:
    """Names in single quotes."""
    return Written(f"{said.reasoning or ''}\n</think>\n\n" + _minimax_m2_body(said, "'"), MINIMAX_PROMPT)


MINIMAX_M2_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("[e~["),
    whole_header(r"<minimax:tool_call>\s*(?:<invoke\s*name=|</minimax:tool_call>)"),
    *raw_values(
        r"<parameter\s*name=[\"']?([^<>\"'\n]*)[\"']?>",
        "</parameter>",
        "</invoke>",
        r"<invoke\s*name=|</minimax:tool_call>|<minimax:tool_call>|\[e~\[",
    ),
)


# --- DeepSeek R1 and V3: JSON in a fence ----------------------------------------------------------------------------


def _deepseek_v3_body(said: Said, between: str = "\n") -> str:
    calls = between.join(
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call.name}\n```json\n{call.text}\n```<｜tool▁call▁end｜>"
        for call in said.calls
    )
    section = f"<｜tool▁calls▁begin｜>{calls}<｜tool▁calls▁end｜>" if calls else ""
    return said.content + section + said.after


def deepseek_v3(said: Said) -> Written:
    """DeepSeek R1, whose prompt opens thinking. Without reasoning: V3, which has none."""
    if said.reasoning is None:
        return Written(_deepseek_v3_body(said), "<｜User｜>hi<｜Assistant｜>")
    text = f"{said.reasoning}\n</think>\n\n" + _deepseek_v3_body(said)
    return Written(text, "<｜User｜>hi<｜Assistant｜><think>\n")


def deepseek_v3_opens(said: Said) -> Written:
    """R1-0528, which writes the opener itself; calls without a line end between them."""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n\n"
    return Written(head + _deepseek_v3_body(said, ""), "<｜User｜>hi<｜Assistant｜>")


DEEPSEEK_V3_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<｜end▁of▁sentence｜>"),
    whole_header(r"<｜tool▁call▁begin｜>\s*function\s*<｜tool▁sep｜>|<｜tool▁calls▁begin｜>\s*<｜tool▁calls▁end｜>"),
    Exclusion(
        "a repeated section opener before the calls is one opener",
        lambda said: bool(said.calls) and said.content.rstrip().endswith("<｜tool▁calls▁begin｜>"),
    ),
)


# --- Seed-OSS -------------------------------------------------------------------------------------------------------

SEED_PROMPT = "<seed:bos>user\nhi<seed:eos><seed:bos>assistant\n"


def seed_oss(said: Said) -> Written:
    """The model writes the opener; the line end before the answer is layout."""
    calls = "".join(
        f"\n<seed:tool_call>\n<function={call.name}>\n"
        + "".join(
            f"<parameter={key}>{text}</parameter>\n" for key, text in values_as_text(call, _python_scalar).items()
        )
        + "</function>\n</seed:tool_call>"
        for call in said.calls
    )
    body = said.content + ("\n" if said.content and said.calls else "") + calls + said.after
    if said.reasoning is None:
        return Written(body, SEED_PROMPT + "\n<seed:think>\nSo I answer.\n</seed:think>\n")
    return Written(f"<seed:think>{said.reasoning}</seed:think>\n" + body, SEED_PROMPT)


def seed_oss_json(said: Said) -> Written:
    """Booleans and null as JSON, and an opener from the prompt."""
    written = seed_oss(Said(None, said.content, said.calls, said.after))
    text = re.sub(
        r">(True|False|None)</parameter>", lambda found: f">{_JSON_WORDS[found[1]]}</parameter>", written.text
    )
    if said.reasoning is None:
        return written._replace(text=text)
    return Written(f"{said.reasoning}</seed:think>\n" + text, SEED_PROMPT + "<seed:think>")


_JSON_WORDS = {"True": "true", "False": "false", "None": "null"}

SEED_OSS_EXCLUDED = (
    *thinking("<seed:think>", "</seed:think>"),
    LAYOUT,
    ends_of_turn("<seed:eos>"),
    whole_header(r"<function=[^<>]*>|<seed:tool_call>\s*(?:<function=|</seed:tool_call>)"),
    *raw_values(
        r"<parameter=([^<>]*)>",
        "</parameter>",
        "</function>",
        r"</seed:tool_call>|<seed:tool_call>|<function=|<seed:eos>",
    ),
)
SEED_OSS_JSON_EXCLUDED = (
    *SEED_OSS_EXCLUDED,
    Exclusion(
        "this writer's way of spelling booleans doesn't tell them from strings",
        lambda said: any(
            re.search(r"(?:^|>)(?:True|False|None)(?:$|</parameter>)", text) for _, text in values_of(said)
        ),
    ),
)


# --- Granite 4, LongCat, InternLM: a JSON object with name and arguments --------------------------------------------


def _json_call(call: Call, opens: str, closes: str, arguments: str = "arguments") -> str:
    return f'{opens}{{"name": {json.dumps(call.name)}, "{arguments}": {call.text}}}{closes}'


def _json_body(said: Said, opens: str, closes: str) -> str:
    calls = "\n".join(_json_call(call, opens, closes) for call in said.calls)
    return said.content + ("\n" if said.content and said.calls else "") + calls + said.after


def granite4(said: Said) -> Written:
    """Granite 4, which has no reasoning."""
    prompt = "<|start_of_role|>user<|end_of_role|>hi<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"
    return Written(_json_body(said, "<tool_call>\n", "\n</tool_call>"), prompt)


GRANITE4_EXCLUDED = (
    LAYOUT,
    ends_of_turn("<|end_of_text|>"),
    Exclusion(
        "content with an opener and the start of a JSON value is a call", content_matches(r"<tool_call>\s*[\[{]")
    ),
)

LONGCAT_PROMPT = "[Round 0] USER:hi ASSISTANT:"


def _longcat_body(said: Said) -> str:
    return _json_body(said, "<longcat_tool_call>\n", "\n</longcat_tool_call>")


def longcat(said: Said) -> Written:
    """LongCat, which writes the opener itself when it thinks."""
    head = "" if said.reasoning is None else f"<longcat_think>\n{said.reasoning}\n</longcat_think>\n\n"
    return Written(head + _longcat_body(said), LONGCAT_PROMPT)


def longcat_think(said: Said) -> Written:
    """The tags of other families around thinking."""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n\n"
    return Written(head + _longcat_body(said), LONGCAT_PROMPT)


LONGCAT_EXCLUDED = (
    *THINK,
    *thinking("<longcat_think>", "</longcat_think>"),
    LAYOUT,
    ends_of_turn("</longcat_s>"),
    Exclusion(
        "content with an opener and the start of a JSON value is a call",
        content_matches(r"<longcat_tool_call>\s*[\[{]"),
    ),
)


def _internlm_body(said: Said, opens: str, arguments: str) -> str:
    calls = "".join(_json_call(call, opens, "<|action_end|>", arguments) for call in said.calls)
    return said.content + calls + said.after


def internlm(said: Said) -> Written:
    """Intern-S1, which writes the opener itself."""
    body = _internlm_body(said, "<|action_start|> <|plugin|>\n", "parameters")
    if said.reasoning is None:
        return Written(body, QWEN_OFF)
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + body, QWEN_PROMPT)


def internlm2(said: Said) -> Written:
    """InternLM2.5 and 3: no space between the tokens, and no reasoning. With reasoning: after a prefilled opener."""
    body = _internlm_body(said, "<|action_start|><|plugin|>\n", "arguments")
    if said.reasoning is None:
        return Written(body, QWEN_PROMPT)
    return Written(f"{said.reasoning}\n</think>\n\n" + body, QWEN_PROMPT + "<think>\n")


INTERNLM_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>"),
    Exclusion(
        "content with both opening tokens and the start of a JSON object is a call",
        content_matches(r"<\|action_start\|>\s*<\|plugin\|>\s*\{"),
    ),
)


# --- Jamba: all calls in one array ----------------------------------------------------------------------------------


def jamba(said: Said) -> Written:
    """Jamba, which has no reasoning."""
    objects = ",\n".join(f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}' for call in said.calls)
    calls = f"<tool_calls>[\n{objects}\n]</tool_calls>" if objects else ""
    return Written(said.content + calls + said.after, "<|bom|><|user|> hi<|eom|><|bom|><|assistant|>")


def jamba_indented(said: Said) -> Written:
    """Objects indented, in one array without a line end before its first."""
    objects = ",\n    ".join(f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}' for call in said.calls)
    calls = f"<tool_calls>[\n    {objects}\n]</tool_calls>" if objects else ""
    return Written(said.content + calls + said.after, "<|bom|><|user|> hi<|eom|><|bom|><|assistant|>")


JAMBA_EXCLUDED = (
    LAYOUT,
    ends_of_turn("<|eom|>"),
    Exclusion("content with an opener and the start of an array is a call", content_matches(r"<tool_calls>\s*\[")),
)


# --- MiMo and Step-3.5: Qwen3-Coder's calls in two layouts ----------------------------------------------------------


def _mimo_body(said: Said) -> str:
    calls = "\n".join(
        f"<tool_call>\n<function={call.name}>\n"
        + "".join(f"<parameter={key}>{text}</parameter>\n" for key, text in values_as_text(call).items())
        + "</function>\n</tool_call>"
        for call in said.calls
    )
    return said.content + ("\n" if said.content and said.calls else "") + calls + said.after


def mimo(said: Said) -> Written:
    """The model writes the opener; the prompt writes an empty pair when thinking is off."""
    if said.reasoning is None:
        return Written(_mimo_body(said), QWEN_PROMPT + "<think></think>")
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + _mimo_body(said), QWEN_PROMPT)


MIMO_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>"),
    whole_header(r"<function=[^<>]*>|<tool_call>\s*(?:<function=|</tool_call>)"),
    Exclusion(
        "line ends at the start of an answer after a closer without any may be the closer's",
        lambda said: said.reasoning is None and said.content.startswith("\n"),
    ),
    *raw_values(
        r"<parameter=([^<>]*)>",
        "</parameter>",
        "</function>",
        r"</tool_call>|<tool_call>|<function=|<\|im_end\|>",
    ),
)


def step3p5(said: Said) -> Written:
    """The prompt wrote the opener, and always does; calls follow the answer and each other at once."""
    calls = "".join(_qwen3_coder_call(call, _python_scalar) for call in said.calls)
    text = f"{said.reasoning or ''}\n</think>\n" + said.content + calls + said.after
    return Written(text, QWEN_PROMPT + "<think>\n")


def step3p5_lines(said: Said) -> Written:
    """A line end before each call, and scalars as JSON."""
    calls = "".join("\n" + _qwen3_coder_call(call, json.dumps) for call in said.calls)
    text = f"{said.reasoning or ''}\n</think>\n" + said.content + calls + said.after
    return Written(text, QWEN_PROMPT + "<think>\n")


STEP3P5_EXCLUDED = (*QWEN3_CODER_EXCLUDED, LINE_BEFORE_CALL)


# --- Ling 3, Laguna, IQuest Q1: key/value pairs ---------------------------------------------------------------------


def _pairs(call: Call, tag: str, after_name: str, between: str, after: str) -> str:
    pairs = "".join(
        f"<arg_key>{key}</arg_key>{between}<arg_value>{text}</arg_value>{after}"
        for key, text in values_as_text(call).items()
    )
    return f"<{tag}>{call.name}{after_name}{pairs}</{tag}>"


def _pairs_excluded(tag: str, *ends: str) -> tuple[Exclusion, ...]:
    turn_ends = "".join(f"|{re.escape(end)}" for end in ends)
    return (
        *THINK,
        LAYOUT,
        ends_of_turn(*ends),
        Exclusion(
            "content with an opener, a name and what follows a name is a call",
            content_matches(rf"<{tag}>\s*[^\s<>]+\s*(?:<arg_key>|</{tag}>|$)"),
        ),
        *raw_values(r"<arg_key>([^<>\n]*)</arg_key>\s*<arg_value>", "</arg_value>", f"</{tag}>", f"<{tag}>{turn_ends}"),
    )


LING_PROMPT = "<role>SYSTEM</role>Be brief.<|role_end|><role>HUMAN</role>hi<|role_end|><role>ASSISTANT</role>"


def ling3(said: Said) -> Written:
    """One pair a line; the model writes the opener."""
    calls = "\n".join(_pairs(call, "tool_call", "\n", "\n", "\n") for call in said.calls)
    body = said.content + ("\n" if said.content and said.calls else "") + calls + said.after
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n\n"
    return Written(head + body, LING_PROMPT)


def ling3_compact(said: Said) -> Written:
    """No line ends in calls, and an opener, or an empty block, from the prompt."""
    body = said.content + "".join(_pairs(call, "tool_call", "", "", "") for call in said.calls) + said.after
    if said.reasoning is None:
        return Written(body, LING_PROMPT + "<think>\n\n</think>\n\n")
    return Written(f"{said.reasoning}\n</think>\n\n" + body, LING_PROMPT + "<think>\n")


LING3_EXCLUDED = _pairs_excluded("tool_call", "<|role_end|>")
LING3_COMPACT_EXCLUDED = (*LING3_EXCLUDED, LINE_BEFORE_CALL)


def poolside_v1(said: Said) -> Written:
    """Laguna 2.1: no line ends anywhere."""
    body = said.content + "".join(_pairs(call, "tool_call", "", "", "") for call in said.calls) + said.after
    if said.reasoning is None:
        return Written(body, "〈|EOS|〉<user>hi</user>\n<assistant></think>")
    return Written(f"{said.reasoning}</think>" + body, "〈|EOS|〉<user>hi</user>\n<assistant><think>")


def poolside_v1_lines(said: Said) -> Written:
    """Laguna XS.2 and M.1: one pair a line, a line end around thinking and after the answer."""
    calls = "".join(_pairs(call, "tool_call", "\n", "\n", "\n") + "\n" for call in said.calls)
    body = said.content + ("\n" if said.content and said.calls else "") + calls + said.after
    if said.reasoning is None:
        return Written("\n" + body, "〈|EOS|〉<user>\nhi\n</user>\n<assistant>\n</think>")
    text = f"\n{said.reasoning}\n</think>\n" + body
    return Written(text, "〈|EOS|〉<user>\nhi\n</user>\n<assistant>\n<think>")


POOLSIDE_V1_LINES_EXCLUDED = _pairs_excluded("tool_call", "</assistant>", "〈|EOS|〉")
POOLSIDE_V1_EXCLUDED = (
    *POOLSIDE_V1_LINES_EXCLUDED,
    LINE_BEFORE_CALL,
    Exclusion(
        "in the compact layout a line end at either end of thinking, after it or after a call, may be another's",
        lambda said: (
            any(text.startswith("\n") for text in (said.reasoning or "", said.content, said.after))
            or (said.reasoning or "").endswith("\n")
        ),
    ),
)

IQUEST_PROMPT = "<|iquest_user|>hi<|iquest_end|><|iquest_assistant|>"


def iquest_q1(said: Said) -> Written:
    """No line ends anywhere; the prompt opens thinking, or closes it at once."""
    body = said.content + "".join(_pairs(call, "iquest_tool_call", "", "", "") for call in said.calls) + said.after
    if said.reasoning is None:
        return Written(body, IQUEST_PROMPT + "<think></think>")
    return Written(f"{said.reasoning}</think>" + body, IQUEST_PROMPT + "<think>")


IQUEST_Q1_EXCLUDED = _pairs_excluded("iquest_tool_call", "<|iquest_end|>")


# --- PLaMo 3: many small markers ------------------------------------------------------------------------------------

PLAMO_PROMPT = "<|plamo:tag|>user<|plamo:msg|>hi<|plamo:tag|>assistant<|plamo:msg|>"


def _plamo(kind: str, text: str) -> str:
    return f"<|plamo:begin_{kind}:plamo|>{text}<|plamo:end_{kind}:plamo|>"


def plamo3(said: Said) -> Written:
    """The prompt opens thinking, or closes it at once."""
    calls = "".join(
        _plamo(
            "tool_request",
            _plamo("tool_name", call.name)
            + _plamo("tool_arguments", f"<|plamo:constrain|>json<|plamo:msg|>{call.text}"),
        )
        for call in said.calls
    )
    body = said.content + (_plamo("tool_requests", calls) if calls else "") + said.after
    if said.reasoning is None:
        return Written(body, PLAMO_PROMPT + _plamo("think", ""))
    return Written(f"{said.reasoning}<|plamo:end_think:plamo|>" + body, PLAMO_PROMPT + "<|plamo:begin_think:plamo|>")


PLAMO3_EXCLUDED = (
    *thinking("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    LAYOUT,
    ends_of_turn("<|plamo:tag|>"),
    whole_header(
        r"<\|plamo:begin_tool_requests:plamo\|>\s*"
        r"<\|plamo:(?:begin_tool_request:plamo\|>\s*<\|plamo:begin_tool_name|end_tool_requests):plamo\|>"
    ),
)


# --- Step3: attribute XML behind a type word ------------------------------------------------------------------------


def step3(said: Said) -> Written:
    """The prompt wrote the opener, and always does."""
    calls = "".join(
        f'<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{call.name}">\n'
        + "".join(
            f'<steptml:parameter name="{key}">{text}</steptml:parameter>\n'
            for key, text in values_as_text(call).items()
        )
        + "</steptml:invoke><｜tool_call_end｜>\n"
        for call in said.calls
    )
    section = f"<｜tool_calls_begin｜>\n{calls}<｜tool_calls_end｜>" if calls else ""
    text = f"{said.reasoning or ''}\n</think>\n\n" + said.content + section + said.after
    return Written(text, "<|BOT|>user\nhi<|EOT|><|BOT|>assistant\n<think>\n")


STEP3_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|EOT|>"),
    whole_header(
        r"<｜tool_calls_begin｜>\s*(?:<｜tool_calls_end｜>|<｜tool_call_begin｜>\s*function\s*<｜tool_sep｜>\s*<steptml:invoke)"
    ),
    *raw_values(
        r"<steptml:parameter\s*name=\"([^<>\"\n]*)\">",
        "</steptml:parameter>",
        "</steptml:invoke><｜tool_call_end｜>",
        r"<｜tool_calls_end｜>|<｜tool_calls_begin｜>|<｜tool_call_begin｜>|<\|EOT\|>",
    ),
)


WRITERS: dict[str, tuple[Writer, ...]] = {
    "qwen3": tuple(
        Writer(write, QWEN3_EXCLUDED) for write in (qwen3, qwen3_prefilled, qwen3_turned, qwen3_string, qwen3_array)
    ),
    "qwen3_coder": tuple(
        Writer(write, QWEN3_CODER_EXCLUDED) for write in (qwen3_coder, qwen3_coder_opens, qwen3_coder_python)
    ),
    "deepseek_v31": (Writer(deepseek_v31, DEEPSEEK_V31_EXCLUDED),),
    "kimi_k2": (Writer(kimi_k2, KIMI_K2_EXCLUDED), Writer(kimi_k2_instruct, KIMI_K2_EXCLUDED)),
    "glm47": (Writer(glm47, GLM47_EXCLUDED), Writer(glm45, GLM45_EXCLUDED)),
    "minimax_m2": (Writer(minimax_m2, MINIMAX_M2_EXCLUDED), Writer(minimax_m2_single, MINIMAX_M2_EXCLUDED)),
    "deepseek_v3": (Writer(deepseek_v3, DEEPSEEK_V3_EXCLUDED), Writer(deepseek_v3_opens, DEEPSEEK_V3_EXCLUDED)),
    "seed_oss": (Writer(seed_oss, SEED_OSS_EXCLUDED), Writer(seed_oss_json, SEED_OSS_JSON_EXCLUDED)),
    "granite4": (Writer(granite4, GRANITE4_EXCLUDED),),
    "longcat": (Writer(longcat, LONGCAT_EXCLUDED), Writer(longcat_think, LONGCAT_EXCLUDED)),
    "jamba": (Writer(jamba, JAMBA_EXCLUDED), Writer(jamba_indented, JAMBA_EXCLUDED)),
    "mimo": (Writer(mimo, MIMO_EXCLUDED),),
    "internlm": (Writer(internlm, INTERNLM_EXCLUDED), Writer(internlm2, INTERNLM_EXCLUDED)),
    "step3p5": (Writer(step3p5, STEP3P5_EXCLUDED), Writer(step3p5_lines, STEP3P5_EXCLUDED)),
    "ling3": (Writer(ling3, LING3_EXCLUDED), Writer(ling3_compact, LING3_COMPACT_EXCLUDED)),
    "poolside_v1": (Writer(poolside_v1, POOLSIDE_V1_EXCLUDED), Writer(poolside_v1_lines, POOLSIDE_V1_LINES_EXCLUDED)),
    "iquest_q1": (Writer(iquest_q1, IQUEST_Q1_EXCLUDED),),
    "plamo3": (Writer(plamo3, PLAMO3_EXCLUDED),),
    "step3": (Writer(step3, STEP3_EXCLUDED),),
    **{name: family.writers for name, family in FAMILIES.items()},
}
"""Every listed format's writers, by the format's name, the usual layout first."""

RAW_VALUES = frozenset(
    {
        "glm47", "iquest_q1", "ling3", "mimo", "minimax_m2", "poolside_v1", "qwen3_coder", "seed_oss", "step3",
        "step3p5", *(name for name, family in FAMILIES.items() if family.values == "schema"),
    }
)  # fmt: skip
"""Formats whose values are raw text, typed by the tool's schema."""
SELF_TYPED = frozenset(name for name, family in FAMILIES.items() if family.values == "itself")
"""Formats with a notation of their own, in which a value says what it is. In all others arguments are JSON, byte for
byte."""

SILENT = frozenset({"granite4", "jamba", *(name for name, family in FAMILIES.items() if family.closer is None)})
"""Formats without reasoning."""

TOOLLESS = frozenset(name for name, family in FAMILIES.items() if not family.calls)
"""Formats without calls."""

CLOSERS = {
    "seed_oss": "</seed:think>",
    "plamo3": "<|plamo:end_think:plamo|>",
    "longcat": "</longcat_think>",
    **{name: family.closer for name, family in FAMILIES.items() if family.closer is not None},
}
"""What closes reasoning where it isn't ``</think>``."""
