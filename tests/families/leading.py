"""Writers of formats with headers, without closers, and with notations of their own: gpt-oss, Mistral, Gemma,
Llama's JSON, Granite 3, Apertus, MiniMax M3."""

from __future__ import annotations

import json
import re
from typing import Any

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
    text_has,
    thinking,
)


def _object(call: Call, arguments: str = "arguments") -> str:
    return f'{{"name": {json.dumps(call.name)}, "{arguments}": {call.text}}}'


# --- gpt-oss: a header before every part ------------------------------------------------------------------------------

HARMONY_PROMPT = "<|start|>user<|message|>hi<|end|><|start|>assistant"


def _harmony(said: Said, header: str, preamble: str, closer: str = "<|call|>") -> Written:
    parts = []
    if said.reasoning is not None:
        parts.append(f"<|channel|>analysis<|message|>{said.reasoning}<|end|>")
    if said.content and said.calls:
        parts.append(f"<|channel|>{preamble}<|message|>{said.content}<|end|>")
    parts += [header.format(name=call.name) + f"<|message|>{call.text}{closer}" for call in said.calls]
    final = said.after if said.calls else said.content
    if final or not said.calls:
        parts.append(f"<|channel|>final<|message|>{final}<|return|>")
    return Written("<|start|>assistant".join(parts), HARMONY_PROMPT)


def gpt_oss(said: Said) -> Written:
    """The recipient after the channel, the type as a token."""
    return _harmony(said, "<|channel|>commentary to=functions.{name} <|constrain|>json", "commentary")


def gpt_oss_role(said: Said) -> Written:
    """The recipient before the channel."""
    return _harmony(said, " to=functions.{name}<|channel|>commentary <|constrain|>json", "commentary")


def gpt_oss_word(said: Said) -> Written:
    """The type as a word; words before a call on the last channel."""
    return _harmony(said, "<|channel|>commentary to=functions.{name} json", "final")


def gpt_oss_bare(said: Said) -> Written:
    """No type, and the call on the channel of reasoning."""
    return _harmony(said, " to=functions.{name}<|channel|>analysis", "commentary")


def gpt_oss_tight(said: Said) -> Written:
    """No space before the type's token, and calls that end as any message does."""
    return _harmony(said, " to=functions.{name}<|channel|>commentary<|constrain|>json", "commentary", "<|end|>")


def gpt_oss_role_word(said: Said) -> Written:
    """The recipient before the channel, and the type as a word."""
    return _harmony(said, " to=functions.{name}<|channel|>commentary json", "commentary")


def gpt_oss_thought(said: Said) -> Written:
    """The recipient after the channel of reasoning, and no type."""
    return _harmony(said, "<|channel|>analysis to=functions.{name}", "commentary")


HARMONY = (
    ends_of_turn("<|end|>", "<|return|>", "<|endoftext|>"),
    Exclusion(
        "a part of a header in a message's body may be its successor's: with text alone nobody can tell",
        text_has("<|start|>", "<|channel|>"),
    ),
)

# --- Mistral ----------------------------------------------------------------------------------------------------------

MISTRAL_PROMPT = "<s>[INST]hi[/INST]"
MISTRAL_IDS = ("a1B2c3D4e", "f5G6h7I8j", "k9L0m1N2o", "p3Q4r5S6t")


def mistral(said: Said) -> Written:
    """Tokenizers v13 and later: each call behind its marker."""
    head = "" if said.reasoning is None else f"[THINK]{said.reasoning}[/THINK]"
    calls = "".join(f"[TOOL_CALLS]{call.name}[ARGS]{call.text}" for call in said.calls)
    return Written(head + said.content + calls + said.after, MISTRAL_PROMPT)


def mistral_ids(said: Said) -> Written:
    """Tokenizer v11: ids on the wire, and thinking between tags."""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n"
    ids = MISTRAL_IDS[: len(said.calls)]
    calls = "".join(
        f"[TOOL_CALLS]{call.name}[CALL_ID]{id}[ARGS]{call.text}" for call, id in zip(said.calls, ids, strict=True)
    )
    return Written(head + said.content + calls + said.after, MISTRAL_PROMPT, ids)


def mistral_array(said: Said) -> Written:
    """Tokenizers up to v7: all calls in one array."""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n"
    calls = f"[TOOL_CALLS] [{', '.join(map(_object, said.calls))}]" if said.calls else ""
    return Written(head + said.content + calls + said.after, MISTRAL_PROMPT)


def mistral_array_ids(said: Said) -> Written:
    """Tokenizer v3: an id behind the arguments, where it comes too late to be the call's; no space after the marker."""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n"
    objects = ", ".join(
        f'{_object(call)[:-1]}, "id": "{id}"}}' for call, id in zip(said.calls, MISTRAL_IDS, strict=False)
    )
    return Written(head + said.content + (f"[TOOL_CALLS][{objects}]" if objects else "") + said.after, MISTRAL_PROMPT)


def mistral_bare(said: Said) -> Written:
    """Models forget the marker of arguments."""
    head = "" if said.reasoning is None else f"[THINK]{said.reasoning}[/THINK]"
    calls = "".join(f"[TOOL_CALLS]{call.name}{call.text}" for call in said.calls)
    return Written(head + said.content + calls + said.after, MISTRAL_PROMPT)


MISTRAL = (
    *THINK,
    *thinking("[THINK]", "[/THINK]"),
    LAYOUT,
    ends_of_turn("</s>"),
    Exclusion(
        "content with the marker of calls and what may follow it is a call",
        content_matches(r"\[TOOL_CALLS\]\s*[^\s<>\"'(),}\]]"),
    ),
    Exclusion("white space at once after the last call's JSON is layout", lambda said: said.after[:1].isspace()),
)

# --- Gemma's notation -------------------------------------------------------------------------------------------------


def _gemma(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_gemma_key(key, quote)}:{_gemma(each, quote)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_gemma(each, quote) for each in value) + "]"
    return json.dumps(value)


def _gemma_key(key: str, quote: str) -> str:
    return key if re.fullmatch(r"[\w.-]+", key) else f"{quote}{key}{quote}"


def _quotes_inside(quote: str) -> Exclusion:
    return Exclusion(
        "a string ends at its quote, which nothing escapes",
        lambda said: any(quote in text for call in said.calls for text in _strings(call.arguments)),
    )


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [each for pair in value.items() for part in pair for each in _strings(part)]
    return [each for part in value for each in _strings(part)] if isinstance(value, list) else []


def _gemma4_calls(said: Said) -> str:
    return "".join(
        f"<|tool_call>call:{call.name}{_gemma(call.arguments, GEMMA_QUOTE)}<tool_call|>" for call in said.calls
    )


GEMMA_QUOTE = '<|"|>'
GEMMA_PROMPT = "<|turn>user\nhi<turn|>\n<|turn>model\n"
GEMMA_RESULT = (
    GEMMA_PROMPT + "<|tool_call>call:clock{}<tool_call|>"
    '<|tool_response>response:clock{now:<|"|>noon<|"|>}<tool_response|>'
)


def gemma4(said: Said) -> Written:
    """The model opens its channel; the prompt closes an empty one where thinking is off."""
    body = said.content + _gemma4_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, GEMMA_PROMPT + "<|channel>thought\n<channel|>")
    return Written(f"<|channel>thought\n{said.reasoning}\n<channel|>" + body, GEMMA_PROMPT)


def gemma4_after_tool(said: Said) -> Written:
    """After a tool's result the turn goes on, with a channel that the prompt opened."""
    body = said.content + _gemma4_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, GEMMA_RESULT)
    return Written(f"{said.reasoning}\n<channel|>" + body, GEMMA_RESULT + "<|channel>thought\n")


def gemma4_small(said: Said) -> Written:
    """E2B and E4B: without thinking the prompt ends with the turn's opener."""
    body = said.content + _gemma4_calls(said) + said.after
    head = "" if said.reasoning is None else f"<|channel>thought\n{said.reasoning}\n<channel|>"
    return Written(head + body, GEMMA_PROMPT)


GEMMA4 = (
    *thinking("<|channel>thought", "<channel|>"),
    Exclusion(
        "a first line that is the channel's name opens it: models forget the token",
        lambda said: any(text.lstrip().startswith("thought\n") for text in (said.reasoning or "", said.content)),
    ),
    LAYOUT,
    ends_of_turn("<turn|>", "<|tool_response>", "<eos>"),
    Exclusion("content with a whole call header is a call", content_matches(r"<\|tool_call>\s*call:\s*[^\s<>{}]")),
    _quotes_inside(GEMMA_QUOTE),
)


def functiongemma(said: Said) -> Written:
    """As the chat template writes it."""
    calls = "".join(
        f"<start_function_call>call:{call.name}{_gemma(call.arguments, '<escape>')}<end_function_call>"
        for call in said.calls
    )
    prompt = "<start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n"
    return Written(said.content + calls + said.after, prompt)


def functiongemma_after_tool(said: Said) -> Written:
    """After a function's result the turn goes on."""
    text, prompt, *_ = functiongemma(said)
    call = "<start_function_call>call:clock{}<end_function_call>"
    result = "<start_function_response>response:clock{now:<escape>noon<escape>}<end_function_response>"
    return Written(text, prompt + call + result)


FUNCTIONGEMMA = (
    LAYOUT,
    ends_of_turn("<end_of_turn>", "<start_function_response>"),
    Exclusion(
        "content with a whole call header is a call", content_matches(r"<start_function_call>\s*call:\s*[^\s<>{}]")
    ),
    _quotes_inside("<escape>"),
)

# --- Llama's JSON -----------------------------------------------------------------------------------------------------

LLAMA_PROMPT = (
    "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
)


def llama3_json(said: Said) -> Written:
    """Calls alone are the message; after words the token stands before them."""
    calls = "; ".join(_object(call, "parameters") for call in said.calls)
    tag = "<|python_tag|>" if calls and said.content else ""
    return Written(said.content + tag + calls + said.after, LLAMA_PROMPT)


def llama3_json_tag(said: Said) -> Written:
    """The token before calls in any case, and the other word for arguments."""
    calls = "; ".join(_object(call) for call in said.calls)
    return Written(said.content + ("<|python_tag|>" if calls else "") + calls + said.after, LLAMA_PROMPT)


LLAMA = (
    LAYOUT,
    ends_of_turn("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>"),
    Exclusion("content with the token and the start of an object is a call", content_matches(r"<\|python_tag\|>\s*\{")),
    Exclusion("white space at once after the last call's JSON is layout", lambda said: said.after[:1].isspace()),
    Exclusion("an answer that begins as a call object does may be one", content_matches(r'^\s*\{\s*"')),
)

# --- Granite 3 --------------------------------------------------------------------------------------------------------

GRANITE_PROMPT = "<|start_of_role|>user<|end_of_role|>hi<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"


def _granite_calls(said: Said, marker: str) -> str:
    return f"{marker}[{', '.join(map(_object, said.calls))}]" if said.calls else ""


def granite(said: Said) -> Written:
    """3.2: phrases around thinking."""
    body = said.content + _granite_calls(said, "<|tool_call|>") + said.after
    if said.reasoning is None:
        return Written(body, GRANITE_PROMPT)
    text = f"Here is my thought process:\n\n{said.reasoning}\n\nHere is my response:\n\n"
    return Written(text + body, GRANITE_PROMPT)


def granite_tags(said: Said) -> Written:
    """3.3: tags around thinking and around the answer."""
    calls = _granite_calls(said, "<|tool_call|> ") + said.after
    if said.reasoning is None:
        return Written(said.content + calls, GRANITE_PROMPT)
    answer = f"<response>{said.content}</response>" if said.content else ""
    return Written(f"<think>{said.reasoning}</think>" + answer + calls, GRANITE_PROMPT)


def granite_text(said: Said) -> Written:
    """3.1: a marker of plain text, and no reasoning; with any, the short phrases."""
    body = said.content + _granite_calls(said, "<tool_call>") + said.after
    if said.reasoning is None:
        return Written(body, GRANITE_PROMPT)
    text = f"Here's my thought process:\n\n{said.reasoning}\n\nHere's my response:\n\n"
    return Written(text + body, GRANITE_PROMPT)


def granite_bare(said: Said) -> Written:
    """The marker of calls is a token that a tokenizer may drop: then the array is the whole message."""
    if said.content or said.reasoning is not None:
        return granite(said)
    return Written(_granite_calls(said, "") + said.after, GRANITE_PROMPT)


GRANITE = (
    *THINK,
    *(
        each
        for is_short in ("Here is", "Here's")
        for each in thinking(f"{is_short} my thought process:", f"{is_short} my response:")
    ),
    LAYOUT,
    ends_of_turn("<|end_of_text|>"),
    Exclusion("content that begins with the answer's opener is what it holds", content_matches(r"^\s*<response>")),
    Exclusion(
        "content with a marker of calls and the start of a JSON value is a call",
        content_matches(r"(?:<\|tool_call\|>|<tool_call>)\s*[\[{]"),
    ),
    Exclusion("white space at once after the last call's JSON is layout", lambda said: said.after[:1].isspace()),
)
GRANITE_TAGS = (
    *GRANITE,
    Exclusion(
        "line ends beside tags may be the tags'",
        lambda said: any(
            text.startswith("\n") or text.endswith("\n") for text in (said.reasoning or "", said.content, said.after)
        ),
    ),
    Exclusion("the answer's closer ends it", text_has("</response>", "<response>")),
)

# --- Apertus ----------------------------------------------------------------------------------------------------------

APERTUS_PROMPT = "<|user_start|>hi<|user_end|><|assistant_start|>"


def apertus(said: Said) -> Written:
    """The model opens thinking."""
    head = "" if said.reasoning is None else f"<|inner_prefix|>{said.reasoning}<|inner_suffix|>"
    objects = ", ".join(f"{{{json.dumps(call.name)}: {call.text}}}" for call in said.calls)
    calls = f"<|tools_prefix|>[{objects}]<|tools_suffix|>" if said.calls else ""
    return Written(head + said.content + calls + said.after, APERTUS_PROMPT)


def apertus_inside(said: Said) -> Written:
    """Calls in thinking, which goes on after them. Words before calls would have to close it."""
    if said.reasoning is None or said.content or not said.calls:
        return apertus(said)
    objects = ", ".join(f"{{{json.dumps(call.name)}: {call.text}}}" for call in said.calls)
    text = f"<|inner_prefix|>{said.reasoning}<|tools_prefix|>[{objects}]<|tools_suffix|><|inner_suffix|>"
    return Written(text + said.after, APERTUS_PROMPT)


APERTUS = (
    *thinking("<|inner_prefix|>", "<|inner_suffix|>"),
    LAYOUT,
    ends_of_turn("<|assistant_end|>"),
    Exclusion(
        "thinking may begin again anywhere, and calls may stand in it", text_has("<|inner_prefix|>", "<|tools_prefix|>")
    ),
)

# --- MiniMax M3: elements in elements ---------------------------------------------------------------------------------

N = "]<]minimax[>["


def _element(name: str, value: Any) -> str:
    if isinstance(value, dict) and value:
        inside = "\n" + "".join(_element(key, each) for key, each in value.items())
    elif isinstance(value, list) and value:
        inside = "\n" + "".join(_element("item", each) for each in value)
    else:
        inside = value if isinstance(value, str) else json.dumps(value)
    return f"{N}<{name}>{inside}{N}</{name}>\n"


def minimax_m3(said: Said) -> Written:
    """The model opens thinking, or the prompt does."""
    calls = "".join(
        f'{N}<invoke name="{call.name}">\n'
        + "".join(_element(key, value) for key, value in call.arguments.items())
        + f"{N}</invoke>\n"
        for call in said.calls
    )
    section = f"\n{N}<tool_call>\n{calls}{N}</tool_call>" if calls else ""
    head = "" if said.reasoning is None else f"<mm:think>{said.reasoning}</mm:think>"
    return Written(head + said.content + section + said.after, "]~b]user\nhi[e~[\n]~b]ai\n")


def _only_text(value: Any) -> bool:
    """Whether a container comes back without a schema for what it holds: texts, and objects of texts."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, str) for each in value)
    if isinstance(value, dict):
        named = all(re.fullmatch(r"[^\W\d]\w*", key) for key in value)
        return bool(value) and named and all(isinstance(each, str) for each in value.values())
    return True


MINIMAX_M3 = (
    *thinking("<mm:think>", "</mm:think>"),
    LAYOUT,
    ends_of_turn("[e~["),
    Exclusion("the namespace is never part of words", text_has(N)),
    Exclusion(
        "the namespace ends a text",
        lambda said: any(N in text for call in said.calls for text in _strings(call.arguments)),
    ),
    Exclusion(
        "what stands in a container without a schema of its own is text, and its elements have names",
        lambda said: any(not _only_text(value) for call in said.calls for value in call.arguments.values()),
    ),
    Exclusion(
        "white space alone is layout between elements",
        lambda said: any(text.isspace() for call in said.calls for text in _strings(call.arguments)),
    ),
)

_OBJECTS = '{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}', '{"name": "clock", "arguments": {}}'

FAMILIES = {
    "gpt_oss": Family(
        tuple(
            Writer(write, HARMONY)
            for write in (
                gpt_oss,
                gpt_oss_role,
                gpt_oss_word,
                gpt_oss_bare,
                gpt_oss_tight,
                gpt_oss_role_word,
                gpt_oss_thought,
            )
        ),
        "<|channel|>analysis<|message|>Trains.<|end|>"
        "<|start|>assistant<|channel|>commentary<|message|>Let me see.<|end|>"
        "<|start|>assistant<|channel|>commentary to=functions.find_trains <|constrain|>json<|message|>"
        '{"to": "Graz", "seats": 2}<|call|>'
        "<|start|>assistant<|channel|>commentary to=functions.clock <|constrain|>json<|message|>{}<|call|>",
        closer="<|end|>",
    ),
    "mistral": Family(
        tuple(
            Writer(write, MISTRAL) for write in (mistral, mistral_ids, mistral_array, mistral_array_ids, mistral_bare)
        ),
        '[THINK]Trains.[/THINK]Let me see.[TOOL_CALLS]find_trains[ARGS]{"to": "Graz", "seats": 2}'
        "[TOOL_CALLS]clock[ARGS]{}",
        closer="[/THINK]",
    ),
    "gemma4": Family(
        (Writer(gemma4, GEMMA4), Writer(gemma4_after_tool, GEMMA4), Writer(gemma4_small, GEMMA4)),
        "<|channel>thought\nTrains.\n<channel|>Let me see."
        '<|tool_call>call:find_trains{to:<|"|>Graz<|"|>,seats:2}<tool_call|><|tool_call>call:clock{}<tool_call|>',
        "itself",
        "<channel|>",
    ),
    "functiongemma": Family(
        (Writer(functiongemma, FUNCTIONGEMMA), Writer(functiongemma_after_tool, FUNCTIONGEMMA)),
        "Let me see.<start_function_call>call:find_trains{to:<escape>Graz<escape>,seats:2}<end_function_call>"
        "<start_function_call>call:clock{}<end_function_call>",
        "itself",
        None,
    ),
    "llama3_json": Family(
        (Writer(llama3_json, LLAMA), Writer(llama3_json_tag, LLAMA)),
        'Let me see.<|python_tag|>{"name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}; '
        '{"name": "clock", "parameters": {}}',
        closer=None,
    ),
    "granite": Family(
        (
            Writer(granite, GRANITE),
            Writer(granite_tags, GRANITE_TAGS),
            Writer(granite_text, GRANITE),
            Writer(granite_bare, GRANITE),
        ),
        "Here is my thought process:\n\nTrains.\n\nHere is my response:\n\nLet me see."
        f"<|tool_call|>[{', '.join(_OBJECTS)}]",
        closer="Here is my response:",
    ),
    "apertus": Family(
        (Writer(apertus, APERTUS), Writer(apertus_inside, APERTUS)),
        "<|inner_prefix|>Trains.<|inner_suffix|>Let me see."
        '<|tools_prefix|>[{"find_trains": {"to": "Graz", "seats": 2}}, {"clock": {}}]<|tools_suffix|>',
        closer="<|inner_suffix|>",
    ),
    "minimax_m3": Family(
        (Writer(minimax_m3, MINIMAX_M3),),
        f'<mm:think>Trains.</mm:think>Let me see.\n{N}<tool_call>\n{N}<invoke name="find_trains">\n'
        f"{N}<to>Graz{N}</to>\n{N}<seats>2{N}</seats>\n{N}</invoke>\n"
        f'{N}<invoke name="clock">\n{N}</invoke>\n{N}</tool_call>',
        "schema",
        "</mm:think>",
    ),
}
