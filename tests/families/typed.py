"""Writers of formats whose parameters say their type, and of Hunyuan's and GigaChat's."""

from __future__ import annotations

import json

from writing import (
    LAYOUT,
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
    thinking,
    values_as_text,
)


def _json_call(call: Call) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}'


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


def _hy_excluded(suffix: str, call: str) -> tuple[Exclusion, ...]:
    # A tag without its suffix is the same tag.
    return (
        *THINK,
        *thinking(f"<think{suffix}>", f"</think{suffix}>"),
        LAYOUT,
        ends_of_turn(f"<｜hy_eos{suffix}｜>", "<｜hy_eos｜>"),
        Exclusion("content with a whole call header is a call", content_matches(call)),
        Exclusion("content with an empty section is markup", content_matches(r"<tool_calls>\s*</tool_calls>")),
        *raw_values(
            r"<arg_key>([^<>\n]*)</arg_key>\s*<arg_value>",
            "</arg_value>",
            "</tool_call>",
            r"<tool_call>|</tool_calls>|<tool_calls>|<｜hy_eos",
        ),
    )


HY_V3_CALL = r"<tool_call>\s*[^\s<>]+\s*<tool_sep>"
HY_V4_CALL = r"<tool_call>\s*[^\s<>]+\s*(?:<arg_key>|</tool_call>|$)"


FAMILIES = {
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
            Writer(hy_v3, _hy_excluded(":opensource", HY_V3_CALL)),
            Writer(hy_v3_preview, _hy_excluded("", HY_V3_CALL)),
            Writer(hy_v3_compact, _hy_excluded(":opensource", HY_V3_CALL)),
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
            Writer(hy_v4, _hy_excluded(":6124c78e", HY_V4_CALL)),
            Writer(hy_v4_plain, _hy_excluded("", HY_V4_CALL)),
        ),
        canonical="Trains.</think:6124c78e>Let me see.<tool_calls:6124c78e><tool_call:6124c78e>find_trains"
        "<arg_key:6124c78e>to</arg_key:6124c78e><arg_value:6124c78e>Graz</arg_value:6124c78e>"
        "<arg_key:6124c78e>seats</arg_key:6124c78e><arg_value:6124c78e>2</arg_value:6124c78e></tool_call:6124c78e>"
        "<tool_call:6124c78e>clock</tool_call:6124c78e></tool_calls:6124c78e>",
        values="schema",
        closer="</think:6124c78e>",
    ),
}
