"""Formats that write a message as blocks of different kinds, and those whose calls or answers have several wrappers.

Muse Glimmer, Inkling and Cohere frame everything; ERNIE 4.5 only its answer; xLAM writes calls bare or in a wrapper.
"""

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
    text_has,
    thinking,
    values_as_text,
)


def _framed(*markers: str) -> Exclusion:
    return Exclusion(
        "where everything is framed, a marker that opens or closes a part does so anywhere", text_has(*markers)
    )


def _text_framed(pattern: str) -> Exclusion:
    """For headers with a name in them."""
    found = content_matches(pattern)
    return Exclusion(
        "where everything is framed, a whole header opens its part anywhere",
        lambda said: found(said) or found(Said(None, said.reasoning or "")),
    )


# --- Muse Glimmer: recipients in headers, one element per parameter -------------------------------------------------

MUSE_PROMPT = "<|start|>user<|message|>hi<|eot|><|start|>assistant"


def _muse_call(call: Call) -> str:
    parameters = "".join(
        f'<atem:parameter name="{key}">{text}</atem:parameter>\n' for key, text in values_as_text(call).items()
    )
    return (
        f'<atem:function_calls>\n<atem:invoke name="{call.name}">\n{parameters}</atem:invoke>\n</atem:function_calls>'
    )


def _muse_messages(said: Said) -> list[tuple[str, str]]:
    """Recipients and bodies."""
    found = [] if said.reasoning is None else [("self", said.reasoning)]
    found += [("user", said.content)] if said.content or not said.calls else []
    found += [(call.name, _muse_call(call)) for call in said.calls]
    return found + ([("user", said.after)] if said.after else [])


def muse_glimmer(said: Said) -> Written:
    """Every message with its recipient; the prompt wrote the beginning of the first one's header."""
    messages = "<|eom|><|start|>assistant".join(f" to={who}<|message|>{text}" for who, text in _muse_messages(said))
    return Written(messages + "<|eot|>", MUSE_PROMPT)


def muse_glimmer_unaddressed(said: Said) -> Written:
    """Answers without a recipient, and nothing at the end of a message before the next one's header."""
    messages = "<|start|>assistant".join(
        ("" if who == "user" else f" to={who}") + f"<|message|>{text}" for who, text in _muse_messages(said)
    )
    return Written(messages, MUSE_PROMPT)


MUSE_EXCLUDED = (
    Exclusion("reasoning that holds its own closer ends there", lambda said: "<|eom|>" in (said.reasoning or "")),
    ends_of_turn("<|eot|>", "<|eom|>"),
    _text_framed(r"(?:<\|start\|>\s*assistant\s*)?to=[^\s<>]+<\|message\|>|<\|start\|>\s*assistant\s*<\|message\|>"),
    *raw_values(
        r"<atem:parameter\s*name=\"([^<>\"\n]*)\">",
        "</atem:parameter>",
        "</atem:invoke>",
        r"</atem:function_calls>|<atem:invoke|<\|eo[tm]\|>|<\|start\|>",
    ),
)


# --- Inkling: blocks with a kind ------------------------------------------------------------------------------------

INKLING_PROMPT = "<|message_user|><|content_text|>hi<|end_message|><|message_model|>"


def _inkling(said: Said, write: dict[str, str]) -> str:
    blocks = [] if said.reasoning is None else [f"<|content_thinking|>{said.reasoning}"]
    blocks += [f"<|content_text|>{said.content}"] if said.content or not said.calls else []
    blocks += [
        write["call"] % {"name": call.name, "json": json.dumps(call.name), "arguments": call.text}
        for call in said.calls
    ]
    blocks += [f"<|content_text|>{said.after}"] if said.after else []
    return "<|message_model|>".join(f"{block}<|end_message|>" for block in blocks) + "<|content_model_end_sampling|>"


def inkling(said: Said) -> Written:
    """A call's name also stands before its block's kind."""
    call = '%(name)s<|content_invoke_tool_json|>{"name":%(json)s,"args":%(arguments)s}'
    return Written(_inkling(said, {"call": call}), INKLING_PROMPT)


def inkling_nameless(said: Said) -> Written:
    """No name there, spaces in the JSON, and another word for the arguments."""
    call = '<|content_invoke_tool_json|>{"name": %(json)s, "arguments": %(arguments)s}'
    return Written(_inkling(said, {"call": call}), INKLING_PROMPT)


INKLING_EXCLUDED = (
    Exclusion(
        "reasoning that holds its own closer ends there", lambda said: "<|end_message|>" in (said.reasoning or "")
    ),
    ends_of_turn("<|content_model_end_sampling|>", "<|end_message|>", "<|endoftext|>"),
    _framed("<|content_thinking|>", "<|content_text|>", "<|content_tool_error|>", "<|content_invoke_tool_"),
)


# --- Cohere: thinking, an answer or actions -------------------------------------------------------------------------

COHERE_PROMPT = "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>hi<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"


def _cohere_ids(said: Said) -> tuple[str, ...]:
    return tuple(str(number) for number in range(len(said.calls)))


def _cohere_body(said: Said, kind: str) -> str:
    calls = ",\n".join(
        f'    {{"tool_call_id": "{id}", "tool_name": {json.dumps(call.name)}, "parameters": {call.text}}}'
        for id, call in zip(_cohere_ids(said), said.calls, strict=True)
    )
    actions = f"<|START_ACTION|>[\n{calls}\n]<|END_ACTION|>" if calls else ""
    before, after = (f"<|START_{kind}|>{text}<|END_{kind}|>" for text in (said.content, said.after))
    before, after = (before if said.content or not calls else ""), (after if said.after else "")
    return before + actions + after + "<|END_OF_TURN_TOKEN|>"


def _cohere(said: Said, kind: str) -> Written:
    """The prompt opens thinking, or ends it at once."""
    body = _cohere_body(said, kind)
    if said.reasoning is None:
        return Written(body, COHERE_PROMPT + "<|START_THINKING|><|END_THINKING|>", _cohere_ids(said))
    return Written(f"{said.reasoning}<|END_THINKING|>" + body, COHERE_PROMPT + "<|START_THINKING|>", _cohere_ids(said))


def cohere_command3(said: Said) -> Written:
    """Command A Reasoning."""
    return _cohere(said, "RESPONSE")


def cohere_command3_opens(said: Said) -> Written:
    """Command A and R7B, which write all of it themselves."""
    head = "" if said.reasoning is None else f"<|START_THINKING|>{said.reasoning}<|END_THINKING|>"
    return Written(head + _cohere_body(said, "RESPONSE"), COHERE_PROMPT, _cohere_ids(said))


def cohere_command4(said: Said) -> Written:
    """Command A+ and North."""
    return _cohere(said, "TEXT")


def cohere_command4_older(said: Said) -> Written:
    """The older tokens around the answer."""
    return _cohere(said, "RESPONSE")


COHERE_EXCLUDED = (
    *thinking("<|START_THINKING|>", "<|END_THINKING|>")[:2],
    ends_of_turn("<|END_OF_TURN_TOKEN|>"),
    _framed(
        *(f"<|{edge}_{kind}|>" for kind in ("THINKING", "RESPONSE", "TEXT", "ACTION") for edge in ("START", "END"))
    ),
)


# --- ERNIE 4.5: a wrapper around the answer -------------------------------------------------------------------------

ERNIE_PROMPT = "<|im_start|>user\nhi<|im_end|>\n\n<|im_start|>assistant\n"


def _json_calls(said: Said) -> list[str]:
    return [f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}' for call in said.calls]


def _ernie(said: Said, body: str) -> Written:
    if said.reasoning is None:
        return Written(body, ERNIE_PROMPT + "<think>\n\n</think>\n\n")
    return Written(f"{said.reasoning}\n</think>\n\n" + body, ERNIE_PROMPT + "<think>\n")


def ernie45(said: Said) -> Written:
    """The answer between its tags."""
    head = f"<response>\n{said.content}\n</response>\n" if said.content else ""
    calls = "\n\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in _json_calls(said))
    return _ernie(said, head + calls + said.after)


def ernie45_plain(said: Said) -> Written:
    """The answer without them."""
    calls = "\n".join(f"<tool_call>\n{each}\n</tool_call>" for each in _json_calls(said))
    return _ernie(said, said.content + ("\n" if said.content and calls else "") + calls + said.after)


ERNIE_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>", "<|end_of_sentence|>", "</s>"),
    Exclusion("an answer's tag ends what is open, reasoning or answer", text_has("<response>", "</response>")),
    Exclusion(
        "content with an opener and the start of a JSON value is a call", content_matches(r"<tool_call>\s*[\[{]")
    ),
)
ERNIE_PLAIN_EXCLUDED = (
    *ERNIE_EXCLUDED,
    Exclusion(
        "line ends before a call are layout (models write none, one or two), so content's own can't be told",
        lambda said: bool(said.calls) and said.content.endswith("\n"),
    ),
)


# --- xLAM: one array in one of many wrappers ------------------------------------------------------------------------

XLAM_PROMPT = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def _xlam(said: Said, opens: str, closes: str) -> Written:
    array = "[" + ", ".join(_json_calls(said)) + "]"
    calls = opens + array + closes if said.calls else ""
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n\n"
    between = "\n" if said.content and calls else ""
    return Written(head + said.content + between + calls + said.after, XLAM_PROMPT)


def xlam(said: Said) -> Written:
    """Bare, as the templates write it; in tags where something stands before it, which a bare array can't have."""
    return _xlam(said, "<tool_call>\n", "\n</tool_call>") if said.content else _xlam(said, "", "")


def xlam_fenced(said: Said) -> Written:
    """In a Markdown fence."""
    return _xlam(said, "```json\n", "\n```")


def xlam_fenced_plainly(said: Said) -> Written:
    """In a Markdown fence that doesn't say what it holds."""
    return _xlam(said, "```\n", "\n```")


def xlam_marked(said: Said) -> Written:
    """Behind a token that nothing closes."""
    return _xlam(said, "[TOOL_CALLS]", "")


XLAM_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>"),
    Exclusion(
        "a line end before a call is layout, so content's own can't be told",
        lambda said: bool(said.calls) and said.content.endswith("\n"),
    ),
)


FAMILIES = {
    "muse_glimmer": Family(
        writers=(Writer(muse_glimmer, MUSE_EXCLUDED), Writer(muse_glimmer_unaddressed, MUSE_EXCLUDED)),
        canonical=" to=self<|message|>Trains.<|eom|><|start|>assistant to=user<|message|>Let me see.<|eom|>"
        "<|start|>assistant to=find_trains<|message|><atem:function_calls>\n"
        '<atem:invoke name="find_trains">\n<atem:parameter name="to">Graz</atem:parameter>\n'
        '<atem:parameter name="seats">2</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>'
        "<|start|>assistant to=clock<|message|><atem:function_calls>\n"
        '<atem:invoke name="clock">\n</atem:invoke>\n</atem:function_calls><|eot|>',
        values="schema",
        closer="<|eom|>",
    ),
    "inkling": Family(
        writers=(Writer(inkling, INKLING_EXCLUDED), Writer(inkling_nameless, INKLING_EXCLUDED)),
        canonical="<|content_thinking|>Trains.<|end_message|>"
        "<|message_model|><|content_text|>Let me see.<|end_message|>"
        "<|message_model|>find_trains<|content_invoke_tool_json|>"
        '{"name":"find_trains","args":{"to": "Graz", "seats": 2}}<|end_message|>'
        '<|message_model|>clock<|content_invoke_tool_json|>{"name":"clock","args":{}}<|end_message|>'
        "<|content_model_end_sampling|>",
        closer="<|end_message|>",
    ),
    "cohere_command3": Family(
        writers=(Writer(cohere_command3, COHERE_EXCLUDED), Writer(cohere_command3_opens, COHERE_EXCLUDED)),
        canonical="Trains.<|END_THINKING|><|START_RESPONSE|>Let me see.<|END_RESPONSE|><|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "find_trains", "parameters": {"to": "Graz", "seats": 2}},\n'
        '    {"tool_call_id": "1", "tool_name": "clock", "parameters": {}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>',
        closer="<|END_THINKING|>",
    ),
    "cohere_command4": Family(
        writers=(Writer(cohere_command4, COHERE_EXCLUDED), Writer(cohere_command4_older, COHERE_EXCLUDED)),
        canonical="Trains.<|END_THINKING|><|START_TEXT|>Let me see.<|END_TEXT|><|START_ACTION|>[\n"
        '    {"tool_call_id": "0", "tool_name": "find_trains", "parameters": {"to": "Graz", "seats": 2}},\n'
        '    {"tool_call_id": "1", "tool_name": "clock", "parameters": {}}\n]<|END_ACTION|><|END_OF_TURN_TOKEN|>',
        closer="<|END_THINKING|>",
    ),
    "ernie45": Family(
        writers=(Writer(ernie45, ERNIE_EXCLUDED), Writer(ernie45_plain, ERNIE_PLAIN_EXCLUDED)),
        canonical="Trains.\n</think>\n\n<response>\nLet me see.\n</response>\n"
        '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>\n\n'
        '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
    ),
    "xlam": Family(
        writers=tuple(Writer(write, XLAM_EXCLUDED) for write in (xlam, xlam_fenced, xlam_fenced_plainly, xlam_marked)),
        canonical="<think>\nTrains.\n</think>\n\nLet me see.\n<tool_call>\n"
        '[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}, {"name": "clock", "arguments": {}}]\n'
        "</tool_call>",
    ),
}
"""Every family of this module."""
