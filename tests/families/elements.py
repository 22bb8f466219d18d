"""Writers of formats whose calls are elements: Kimi K3, K2 Horizon, dots, MiniCPM5."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
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
    text_has,
    thinking,
    values_as_text,
    values_of,
)


def _kind(value: Any) -> str:
    """JSON schema's name of a value's type."""
    if value is None:
        return "null"
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


# --- Kimi K3: every part an element -----------------------------------------------------------------------------------


def _open(name: str, **attributes: str) -> str:
    escaped = {key: value.replace("&", "&amp;").replace('"', "&quot;") for key, value in attributes.items()}
    return f"<|open|>{name}" + "".join(f' {key}="{value}"' for key, value in escaped.items()) + "<|sep|>"


def _close(name: str) -> str:
    return f"<|close|>{name}<|sep|>"


def _xtml_arguments(call: Call) -> str:
    kinds = {key: _kind(value).replace("integer", "number") for key, value in call.arguments.items()}
    return "".join(
        _open("argument", key=key, type=kinds[key]) + text + _close("argument")
        for key, text in values_as_text(call).items()
    )


def _xtml_json(call: Call) -> str:
    return _open("json", type="object") + call.text + _close("json")


def _response(text: str) -> str:
    return _open("response") + text + _close("response") if text else ""


def _xtml(said: Said, arguments: Callable[[Call], str], empty: bool) -> Written:
    """``empty``: whether a response in which nothing is said is written too."""
    prompt = _open("message", role="user") + "hi" + _close("message") + "<|end_of_msg|>"
    prompt += _open("message", role="assistant")
    nothing = _open("response") + _close("response") if empty else ""
    if said.reasoning is None:
        prompt, head = prompt + _open("response"), said.content + _close("response")
    else:
        prompt += _open("think")
        head = said.reasoning + _close("think") + (_response(said.content) or nothing)
    calls = "".join(
        _open("call", tool=call.name, index=str(index)) + arguments(call) + _close("call")
        for index, call in enumerate(said.calls, 1)
    )
    tools = _open("tools") + calls + _close("tools") if calls else ""
    return Written(head + tools + _response(said.after) + _close("message"), prompt)


def kimi_k3_brief(said: Said) -> Written:
    """An empty response is left out."""
    return _xtml(said, _xtml_arguments, empty=False)


def kimi_k3(said: Said) -> Written:
    """As the template writes it."""
    return _xtml(said, _xtml_arguments, empty=True)


def kimi_k3_json(said: Said) -> Written:
    """As the template writes arguments that it was given as text: in one element."""
    return _xtml(said, _xtml_json, empty=True)


XTML_ENDS = (_close("message"), "<|end_of_msg|>")
XTML = (
    *thinking(_open("think"), _close("think")),
    ends_of_turn(*XTML_ENDS),
    Exclusion("a response's markers are markup wherever it stands", text_has(_open("response"), _close("response"))),
    Exclusion("content that opens thinking opens it", content_matches(re.escape(_open("think")))),
    Exclusion(
        "content with the tools' opener and a call's is a call",
        content_matches(r"<\|open\|>tools<\|sep\|>\s*(?:<\|open\|>call\s|<\|close\|>tools)"),
    ),
)
XTML_VALUES = raw_values(
    r"<\|open\|>argument\s+key=\"([^\"<\n]*)\"[^<>]*<\|sep\|>",
    _close("argument"),
    _close("call"),
    r"<\|open\|>call\s+tool=|<\|(?:close|open)\|>tools<\|sep\|>|<\|close\|>message<\|sep\|>|<\|end_of_msg\|>",
)

FAMILIES = {
    "kimi_k3": Family(
        writers=(
            Writer(kimi_k3_brief, (*XTML, *XTML_VALUES)),
            Writer(kimi_k3, (*XTML, *XTML_VALUES)),
            Writer(kimi_k3_json, (*XTML, *XTML_VALUES)),
        ),
        canonical="Trains.<|close|>think<|sep|><|open|>response<|sep|>Let me see.<|close|>response<|sep|>"
        '<|open|>tools<|sep|><|open|>call tool="find_trains" index="1"<|sep|>'
        '<|open|>argument key="to" type="string"<|sep|>Graz<|close|>argument<|sep|>'
        '<|open|>argument key="seats" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|>'
        '<|open|>call tool="clock" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>',
        values="itself",
        closer=_close("think"),
    ),
}
