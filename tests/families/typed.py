"""Writers of formats whose parameters say their type, and of Hunyuan's and GigaChat's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from writing import (
    LAYOUT,
    LINE_BEFORE_CALL,
    THINK,
    Call,
    Exclusion,
    Family,
    Said,
    Writer,
    Written,
    content_matches,
    ends_of_turn,
    raw_values,
    values_as_text,
)


def _json_call(call: Call) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}'


def _read_as(pattern: str, same: str, excluded: tuple[Exclusion, ...]) -> tuple[Exclusion, ...]:
    """Exclusions for a format that reads what fits the pattern as if ``same`` stood there."""
    compiled = re.compile(pattern)

    def plain(text: str) -> str:
        return compiled.sub(same, text)

    def plain_call(call: Call) -> Call:
        arguments = {
            key: plain(value) if isinstance(value, str) else json.loads(plain(json.dumps(value, ensure_ascii=False)))
            for key, value in call.arguments.items()
        }
        return replace(call, arguments=arguments)

    def plain_said(said: Said) -> Said:
        reasoning = None if said.reasoning is None else plain(said.reasoning)
        return Said(reasoning, plain(said.content), tuple(map(plain_call, said.calls)), plain(said.after))

    def as_plain(holds: Callable[[Said], bool]) -> Callable[[Said], bool]:
        return lambda said: holds(plain_said(said))

    return tuple(Exclusion(each.reason, as_plain(each.holds)) for each in excluded)


# --- GigaChat 3: a JSON object behind a token, or as a message of its own -------------------------------------------

GIGACHAT_PROMPT = "<s>user<|role_sep|>\nhi<|message_sep|>\n\nassistant<|role_sep|>\n"


def gigachat3(said: Said) -> Written:
    """GigaChat 3.1. Its template prints one call; further ones would look like the first."""
    calls = "".join("<|function_call|>" + _json_call(call) for call in said.calls)
    return Written(said.content + calls + said.after, GIGACHAT_PROMPT)


def gigachat3_message(said: Said) -> Written:
    """GigaChat 3: the assistant's message ends, and another one begins, whose role is ``function call``."""
    opener = "<|message_sep|>\n\nfunction call<|role_sep|>\n"
    calls = "".join(opener + _json_call(call) for call in said.calls)
    return Written(said.content + calls + said.after, GIGACHAT_PROMPT)


GIGACHAT3_EXCLUDED = (
    LAYOUT,
    ends_of_turn("<|message_sep|>", "</s>"),
    Exclusion(
        "content with an opener and the start of an object is a call",
        content_matches(r"(?:<\|function_call\|>|function\s+call\s*<\|role_sep\|>)\s*\{"),
    ),
)


# --- Hunyuan A13B: an array of calls, and tags around the answer ----------------------------------------------------

HUNYUAN_PROMPT = "<|startoftext|>Be brief.<|extra_4|>hi<|extra_0|>"


def _hunyuan_calls(said: Said) -> str:
    objects = ", ".join(map(_json_call, said.calls))
    return f"<tool_calls>[{objects}]</tool_calls>" if objects else ""


def _hunyuan_head(said: Said) -> Written:
    if said.reasoning is None:
        return Written("", HUNYUAN_PROMPT + "<think>\n\n</think>\n")
    return Written(f"<think>\n{said.reasoning}\n</think>\n", HUNYUAN_PROMPT)


def hunyuan_a13b_framed(said: Said) -> Written:
    """The answer and its calls between tags."""
    head = _hunyuan_head(said)
    return head._replace(text=f"{head.text}<answer>\n{said.content}{_hunyuan_calls(said)}\n</answer>")


def hunyuan_a13b(said: Said) -> Written:
    """As the template prints it: without the answer's tags."""
    head = _hunyuan_head(said)
    return head._replace(text=head.text + said.content + _hunyuan_calls(said) + said.after)


def hunyuan_a13b_named(said: Said) -> Written:
    """With offered tools: an answer begins with the word that the prompt asks for, calls begin without."""
    name = "助手：" if said.content else ""
    head = _hunyuan_head(said)
    return head._replace(text=head.text + name + said.content + _hunyuan_calls(said) + said.after)


HUNYUAN_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|eos|>"),
    Exclusion("content with an opener and the start of an array is a call", content_matches(r"<tool_calls>\s*\[")),
    Exclusion(
        "reasoning that holds the answer's opener ends there: models forget to close it",
        lambda said: "<answer>" in (said.reasoning or ""),
    ),
    Exclusion(
        "content that begins with the answer's opener, or with the word for it, is what stands behind that",
        lambda said: said.content.lstrip().startswith(("<answer>", "助手：")),
    ),
    Exclusion(
        "an answer's closer right behind the calls belongs to them",
        lambda said: said.after.lstrip().startswith("</answer>"),
    ),
)
HUNYUAN_FRAMED_EXCLUDED = (
    *HUNYUAN_EXCLUDED,
    Exclusion("an answer that holds its own closer ends there", lambda said: "</answer>" in said.content),
    Exclusion("calls are the last thing in an answer", lambda said: bool(said.after)),
)


# --- Hy3 and Hy4: key/value pairs in one section, with a suffix on every tag ----------------------------------------


def _hy_call(call: Call, suffix: str, separator: str, line: str) -> str:
    pairs = "".join(
        f"<arg_key{suffix}>{key}</arg_key{suffix}>{line}<arg_value{suffix}>{text}</arg_value{suffix}>{line}"
        for key, text in values_as_text(call).items()
    )
    return f"<tool_call{suffix}>{call.name}{separator}{line}{pairs}</tool_call{suffix}>{line}"


def _hy(said: Said, suffix: str, separator: str, line: str) -> Written:
    calls = "".join(_hy_call(call, suffix, separator, line) for call in said.calls)
    section = f"<tool_calls{suffix}>{line}{calls}</tool_calls{suffix}>" if calls else ""
    body = said.content + section + said.after
    prompt = f"<｜hy_User{suffix}｜>hi<｜hy_Assistant{suffix}｜><think{suffix}>"
    if said.reasoning is None:
        return Written(body, f"{prompt}</think{suffix}>")
    return Written(f"{said.reasoning}</think{suffix}>{body}", prompt)


def hy_v3(said: Said) -> Written:
    """Hy3, as it was released."""
    return _hy(said, ":opensource", "<tool_sep:opensource>", "\n")


def hy_v3_preview(said: Said) -> Written:
    """Without a suffix."""
    return _hy(said, "", "<tool_sep>", "\n")


def hy_v3_compact(said: Said) -> Written:
    """Without line ends."""
    return _hy(said, ":opensource", "<tool_sep:opensource>", "")


def hy_v4(said: Said) -> Written:
    """Hy4, whose suffix is a checkpoint's own."""
    return _hy(said, ":6124c78e", "", "")


def hy_v4_plain(said: Said) -> Written:
    """Without a suffix."""
    return _hy(said, "", "", "")


def _hy_excluded(call: str) -> tuple[Exclusion, ...]:
    excluded = (
        *THINK,
        LAYOUT,
        ends_of_turn("<｜hy_eos｜>"),
        Exclusion("content with a whole call header is a call", content_matches(call)),
        Exclusion("content with an empty section is markup", content_matches(r"<tool_calls>\s*</tool_calls>")),
        *raw_values(
            r"<arg_key>([^<>\n]*)</arg_key>\s*<arg_value>",
            "</arg_value>",
            "</tool_call>",
            r"<tool_call>|</tool_calls>|<tool_calls>|<｜hy_eos｜>",
        ),
    )
    # Whatever its suffix, a tag is the same tag.
    return _read_as(r"(?<=[a-z]):[0-9A-Za-z_.-]*(?=｜?>)", "", excluded)


HY_V3_EXCLUDED = _hy_excluded(r"<tool_call>\s*[^\s<>]+\s*<tool_sep>")
HY_V4_EXCLUDED = _hy_excluded(r"<tool_call>\s*[^\s<>]+\s*(?:<arg_key>|</tool_call>|$)")


# --- DeepSeek V3.2 to V4.1 and GigaChat 3.5: elements with attributes, one of which says whether it is a string -------

DEEPSEEK_PROMPT = "<｜begin▁of▁sentence｜><｜User｜>hi<｜Assistant｜>"


def _elements(call: Call, token: str, empty: str, typed: Callable[[Any], str]) -> str:
    values = values_as_text(call)
    parameters = "".join(
        f'<{token}parameter name="{key}"{typed(call.arguments[key])}>{text}</{token}parameter>\n'
        for key, text in values.items()
    )
    return f'<{token}invoke name="{call.name}">\n{parameters or empty}</{token}invoke>\n'


def _string(value: Any) -> str:
    return f' string="{json.dumps(isinstance(value, str))}"'


def _section(said: Said, token: str, name: str, empty: str, typed: Callable[[Any], str] = _string) -> str:
    calls = "".join(_elements(call, token, empty, typed) for call in said.calls)
    return f"<{token}{name}>\n{calls}</{token}{name}>" if calls else ""


def _deepseek(said: Said, section: str) -> Written:
    body = said.content + ("\n\n" + section if section else "") + said.after
    if said.reasoning is None:
        return Written(body, DEEPSEEK_PROMPT + "</think>")
    return Written(f"{said.reasoning}</think>" + body, DEEPSEEK_PROMPT + "<think>")


def deepseek_v32(said: Said) -> Written:
    """DeepSeek V3.2."""
    return _deepseek(said, _section(said, "｜DSML｜", "function_calls", "\n"))


def deepseek_v32_results(said: Said) -> Written:
    """V3.2 after the results of tools, where no marker opens the assistant's turn; nothing stands in empty calls."""
    prompt = DEEPSEEK_PROMPT + "</think>x\n\n<function_results>\n<result>1</result>\n</function_results>\n\n<think>"
    written = _deepseek(said, _section(said, "｜DSML｜", "function_calls", ""))
    return written._replace(prompt=prompt + ("</think>" if said.reasoning is None else ""))


def deepseek_v4(said: Said) -> Written:
    """DeepSeek V4."""
    return _deepseek(said, _section(said, "｜DSML｜", "tool_calls", "\n"))


def deepseek_v4_misspelled(said: Said) -> Written:
    """The section's opener as it was seen from models in use."""
    written = deepseek_v4(said)
    return written._replace(
        text=written.text.replace("<｜DSML｜tool_calls>\n<｜DSML｜inv", "<｜DSML｜tool>\n<｜DSML｜inv")
    )


def deepseek_v41(said: Said) -> Written:
    """DeepSeek V4.1."""
    return _deepseek(said, _section(said, "｜DSML｜ ", "calls", "\n"))


def gigachat35(said: Said) -> Written:
    """GigaChat 3.5."""
    body = said.content + _section(said, "｜GCML｜", "tool_calls", "") + said.after
    if said.reasoning is None:
        return Written(body, GIGACHAT_PROMPT + "<think></think>")
    return Written(f"{said.reasoning}</think>" + body, GIGACHAT_PROMPT + "<think>")


def gigachat35_lines(said: Said) -> Written:
    """With line ends around thinking and before the calls, as DeepSeek's models write them."""
    section = _section(said, "｜GCML｜", "tool_calls", "")
    body = said.content + ("\n\n" + section if section else "") + said.after
    if said.reasoning is None:
        return Written(body, GIGACHAT_PROMPT + "<think>\n\n</think>\n\n")
    return Written(f"{said.reasoning}\n</think>\n\n" + body, GIGACHAT_PROMPT + "<think>\n")


def _elements_excluded(token: str, names: str, *ends: str) -> tuple[Exclusion, ...]:
    turn_ends = "".join(f"|{re.escape(end)}" for end in ends)
    return (
        *THINK,
        LAYOUT,
        ends_of_turn(*ends),
        Exclusion(
            "content with a whole call header, or an empty section, is a call",
            content_matches(rf"<{token}\s*invoke\s*name=|<{token}\s*(?:{names})>\s*</{token}\s*(?:{names})>"),
        ),
        *raw_values(
            rf"<{token}\s*parameter\s*name=\"([^\"<\n]*)\"[^<>]*>",
            f"</{token}parameter>",
            f"</{token}invoke>",
            rf"<{token}\s*invoke\s*name=|</?{token}\s*(?:{names})>{turn_ends}",
        ),
    )


DEEPSEEK_V32_EXCLUDED = _elements_excluded("｜DSML｜", "function_calls", "<｜end▁of▁sentence｜>")
DEEPSEEK_V4_EXCLUDED = _elements_excluded("｜DSML｜", "tool_calls|toolcalls|tool", "<｜end▁of▁sentence｜>")
# White space behind the token is layout, so it may be missing.
DEEPSEEK_V41_EXCLUDED = _read_as(
    r"(?<=｜DSML｜)\s+", "", _elements_excluded("｜DSML｜", "calls", "<｜end▁of▁sentence｜>")
)
GIGACHAT35_LINES_EXCLUDED = _elements_excluded("｜GCML｜", "tool_calls", "<|message_sep|>", "</s>")
GIGACHAT35_EXCLUDED = (
    *GIGACHAT35_LINES_EXCLUDED,
    LINE_BEFORE_CALL,
    Exclusion(
        "in the compact layout a line end at either end of thinking, or after it, may be another's",
        lambda said: (
            (said.reasoning or "").startswith("\n")
            or (said.reasoning or "").endswith("\n")
            or said.content.startswith("\n")
        ),
    ),
)


def _deepseek_canonical(token: str, name: str) -> str:
    return (
        f"Trains.</think>Let me see.\n\n<{token}{name}>\n"
        f'<{token}invoke name="find_trains">\n'
        f'<{token}parameter name="to" string="true">Graz</{token}parameter>\n'
        f'<{token}parameter name="seats" string="false">2</{token}parameter>\n'
        f'</{token}invoke>\n<{token}invoke name="clock">\n\n</{token}invoke>\n</{token}{name}>'
    )


FAMILIES = {
    "deepseek_v32": Family(
        writers=(Writer(deepseek_v32, DEEPSEEK_V32_EXCLUDED), Writer(deepseek_v32_results, DEEPSEEK_V32_EXCLUDED)),
        canonical=_deepseek_canonical("｜DSML｜", "function_calls"),
        values="itself",
    ),
    "deepseek_v4": Family(
        writers=(Writer(deepseek_v4, DEEPSEEK_V4_EXCLUDED), Writer(deepseek_v4_misspelled, DEEPSEEK_V4_EXCLUDED)),
        canonical=_deepseek_canonical("｜DSML｜", "tool_calls"),
        values="itself",
    ),
    "deepseek_v41": Family(
        writers=(Writer(deepseek_v41, DEEPSEEK_V41_EXCLUDED),),
        canonical=_deepseek_canonical("｜DSML｜ ", "calls"),
        values="itself",
    ),
    "gigachat35": Family(
        writers=(Writer(gigachat35, GIGACHAT35_EXCLUDED), Writer(gigachat35_lines, GIGACHAT35_LINES_EXCLUDED)),
        canonical="Trains.</think>Let me see.<｜GCML｜tool_calls>\n"
        '<｜GCML｜invoke name="find_trains">\n'
        '<｜GCML｜parameter name="to" string="true">Graz</｜GCML｜parameter>\n'
        '<｜GCML｜parameter name="seats" string="false">2</｜GCML｜parameter>\n'
        '</｜GCML｜invoke>\n<｜GCML｜invoke name="clock">\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
        values="itself",
    ),
    "gigachat3": Family(
        writers=(Writer(gigachat3, GIGACHAT3_EXCLUDED), Writer(gigachat3_message, GIGACHAT3_EXCLUDED)),
        canonical='Let me see.<|function_call|>{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}'
        '<|function_call|>{"name": "clock", "arguments": {}}',
        closer=None,
    ),
    "hunyuan_a13b": Family(
        writers=(
            Writer(hunyuan_a13b, HUNYUAN_EXCLUDED),
            Writer(hunyuan_a13b_named, HUNYUAN_EXCLUDED),
            Writer(hunyuan_a13b_framed, HUNYUAN_FRAMED_EXCLUDED),
        ),
        canonical="<think>\nTrains.\n</think>\nLet me see."
        '<tool_calls>[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}, '
        '{"name": "clock", "arguments": {}}]</tool_calls>',
    ),
    "hy_v3": Family(
        writers=(
            Writer(hy_v3, HY_V3_EXCLUDED),
            Writer(hy_v3_preview, HY_V3_EXCLUDED),
            Writer(hy_v3_compact, HY_V3_EXCLUDED),
        ),
        canonical="Trains.</think:opensource>Let me see.<tool_calls:opensource>\n"
        "<tool_call:opensource>find_trains<tool_sep:opensource>\n"
        "<arg_key:opensource>to</arg_key:opensource>\n<arg_value:opensource>Graz</arg_value:opensource>\n"
        "<arg_key:opensource>seats</arg_key:opensource>\n<arg_value:opensource>2</arg_value:opensource>\n"
        "</tool_call:opensource>\n<tool_call:opensource>clock<tool_sep:opensource>\n</tool_call:opensource>\n"
        "</tool_calls:opensource>",
        values="schema",
        closer="</think:opensource>",
    ),
    "hy_v4": Family(
        writers=(
            Writer(hy_v4, HY_V4_EXCLUDED),
            Writer(hy_v4_plain, HY_V4_EXCLUDED),
        ),
        canonical="Trains.</think:6124c78e>Let me see.<tool_calls:6124c78e><tool_call:6124c78e>find_trains"
        "<arg_key:6124c78e>to</arg_key:6124c78e><arg_value:6124c78e>Graz</arg_value:6124c78e>"
        "<arg_key:6124c78e>seats</arg_key:6124c78e><arg_value:6124c78e>2</arg_value:6124c78e></tool_call:6124c78e>"
        "<tool_call:6124c78e>clock</tool_call:6124c78e></tool_calls:6124c78e>",
        values="schema",
        closer="</think:6124c78e>",
    ),
}
