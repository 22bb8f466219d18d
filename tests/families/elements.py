"""Writers of formats whose calls are elements: Kimi K3, K2 Horizon, dots, MiniCPM5."""

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
    text_has,
    thinking,
    values_as_text,
    values_of,
    whole_header,
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


def _json_call(call: Call) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}'


# --- K2 Horizon: three pairs of thinking tags, three notations of calls -----------------------------------------------

IFM_PROMPT = "<|ifm|im_start|>user\nhi<|ifm|im_end|><|ifm|im_start|>assistant\n"


def _ifm(said: Said, pair: tuple[str, str], write: Callable[[Call], str]) -> Written:
    calls = "".join(f"<ifm|tool_call>{write(call)}</ifm|tool_call>\n" for call in said.calls)
    section = f"<ifm|tool_calls>\n{calls}</ifm|tool_calls>" if calls else ""
    body = said.content + ("\n" if said.content and calls else "") + section + said.after
    opener, closer = pair
    if said.reasoning is None:
        return Written(body, f"{IFM_PROMPT}<ifm|think>\n</ifm|think>\n")
    return Written(f"{said.reasoning}\n{closer}\n{body}", f"{IFM_PROMPT}{opener}\n")


def _ifm_pairs(call: Call, typed: bool) -> str:
    texts = values_as_text(call)
    types = {key: f"<ifm|arg_type>{_kind(call.arguments[key])}</ifm|arg_type>\n" if typed else "" for key in texts}
    return f"{call.name}\n" + "".join(
        f"<ifm|arg_key>{key}</ifm|arg_key>\n{types[key]}<ifm|arg_value>{text}</ifm|arg_value>\n"
        for key, text in texts.items()
    )


def k2_horizon(said: Said) -> Written:
    """Key/value pairs, high effort."""
    return _ifm(said, ("<ifm|think>", "</ifm|think>"), lambda call: _ifm_pairs(call, typed=False))


def k2_horizon_typed(said: Said) -> Written:
    """With types, and medium effort, closed with another effort's tag."""
    written = _ifm(said, ("<ifm|think_fast>", "</ifm|think>"), lambda call: _ifm_pairs(call, typed=True))
    return written._replace(typed=True)


def k2_horizon_json(said: Said) -> Written:
    """JSON, and low effort."""
    return _ifm(said, ("<ifm|think_faster>", "</ifm|think_faster>"), _json_call)._replace(typed=True)


IFM = (
    *(each for name in ("think", "think_fast", "think_faster") for each in thinking(f"<ifm|{name}>", f"</ifm|{name}>")),
    LAYOUT,
    ends_of_turn("<|ifm|im_end|>", "<|ifm|endoftext|>"),
    Exclusion("an answer's first line ends are layout", lambda said: said.content.startswith("\n")),
    Exclusion(
        "content with an opener and what follows one, or an empty section, is a call",
        content_matches(
            r"<ifm\|tool_call>\s*(?:[{\[]|[^\s<>]+\s*(?:<ifm\|arg_key>|</ifm\|tool_call>|$))"
            r"|<ifm\|tool_calls>\s*</ifm\|tool_calls>"
        ),
    ),
    *raw_values(
        r"<ifm\|arg_key>([^<>\n]*)</ifm\|arg_key>\s*<ifm\|arg_",
        "</ifm|arg_value>",
        "</ifm|tool_call>",
        r"<ifm\|tool_call>|</?ifm\|tool_calls>|<\|ifm\|im_end\|>|<\|ifm\|endoftext\|>",
    ),
)

# --- dots: attribute XML, or JSON in the same section -----------------------------------------------------------------

DOTS_PROMPT = "<|system|>Be brief.<|endofsystem|><|user|>hi<|endofuser|><|assistant|>"


def _dots(said: Said, calls: str, line: str) -> Written:
    body = said.content + calls + said.after
    if said.reasoning is None:
        return Written(body, DOTS_PROMPT + "<think>\n\n</think>\n\n")
    return Written(f"<think>{line}{said.reasoning}{line}</think>{line}{line}{body}", DOTS_PROMPT)


def _invoke(call: Call, line: str) -> str:
    parameters = "".join(
        f'<parameter name="{key}">{line}{text}{line}</parameter>{line}' for key, text in values_as_text(call).items()
    )
    return f'<invoke name="{call.name}">{line}{parameters}</invoke>{line}'


def _block(body: str, line: str) -> str:
    return f"<dots_function_call>{line}{body}</dots_function_call>" if body else ""


def dots(said: Said) -> Written:
    """One section, everything on lines of its own."""
    return _dots(said, _block("".join(_invoke(call, "\n") for call in said.calls), "\n"), "\n")


def dots_compact(said: Said) -> Written:
    """A section for each call, no line ends."""
    return _dots(said, "".join(_block(_invoke(call, ""), "") for call in said.calls), "")


def dots_json(said: Said) -> Written:
    """JSON in the section."""
    return _dots(said, "".join(_block(_json_call(call), "") for call in said.calls), "\n")._replace(typed=True)


DOTS = (
    *THINK,
    LAYOUT,
    LINE_BEFORE_CALL,
    ends_of_turn("<|endofassistant|>", "<|endoftext|>"),
    Exclusion(
        "content with the section's opener and what follows it is a call",
        content_matches(r"<dots_function_call>\s*(?:<invoke\s+name=|</dots_function_call>|[{\[])"),
    ),
    *raw_values(
        r"<parameter\s+name=[\"']([^\"'<\n]*)[\"']>",
        "</parameter>",
        "</invoke>",
        r"<invoke\s+name=|</?dots_function_call>|<\|endofassistant\|>|<\|endoftext\|>",
    ),
)
DOTS_COMPACT = (
    *DOTS,
    Exclusion(
        "in the compact layout a line end at either end of thinking or of a value, or after thinking, may be layout",
        lambda said: (
            any(
                text[:1] == "\n" or text[-1:] == "\n"
                for text in (said.reasoning or "", *(text for _, text in values_of(said)))
            )
            or said.content.startswith("\n")
        ),
    ),
)

# --- MiniCPM5: attribute XML and CDATA sections -----------------------------------------------------------------------

CHATML = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def _xml_text(value: Any) -> str:
    """As the template prints a value: a string with markup in a CDATA section, all others as Python."""
    if isinstance(value, str) and any(each in value for each in "<&\n"):
        return f"<![CDATA[{value}]]>"
    return str(value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _function(call: Call) -> str:
    params = "".join(f'<param name="{key}">{_xml_text(value)}</param>' for key, value in call.arguments.items())
    return f'<function name="{call.name}">{params}</function>'


def _minicpm5(said: Said, write: Callable[[Call], str]) -> Written:
    calls = "\n".join(map(write, said.calls))
    body = said.content + ("\n" if said.content and calls else "") + calls + said.after
    if said.reasoning is None:
        return Written(body, CHATML + "<think>\n\n</think>\n\n")
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n{body}", CHATML)


def minicpm5(said: Said) -> Written:
    """As the template prints it, where the request says nothing of thinking."""
    return _minicpm5(said, _function)


def minicpm5_told(said: Said) -> Written:
    """Where the request switched thinking on, the prompt opens it."""
    written = minicpm5(said)
    if said.reasoning is None:
        return written
    return Written(written.text.removeprefix("<think>\n"), CHATML + "<think>\n")


def minicpm5_arguments(said: Said) -> Written:
    """All parameters in one more element, single quotes."""

    def function(call: Call) -> str:
        params = "".join(f"<param name='{key}'>{_xml_text(value)}</param>\n" for key, value in call.arguments.items())
        return f'<function name="{call.name}">\n<arguments>\n{params}</arguments>\n</function>'

    return _minicpm5(said, function)


def _as_written(excluded: tuple[Exclusion, ...]) -> tuple[Exclusion, ...]:
    """Exclusions of what values look like, for values as they are printed here."""

    def printed(said: Said) -> Said:
        return replace(
            said,
            calls=tuple(
                replace(call, arguments={key: _xml_text(value) for key, value in call.arguments.items()})
                for call in said.calls
            ),
        )

    def holds(each: Exclusion) -> Callable[[Said], bool]:
        return lambda said: each.holds(printed(said))

    return tuple(Exclusion(each.reason, holds(each)) for each in excluded)


MINICPM5 = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>"),
    whole_header(r"<function\s*name=[\"'][^\"'<>]*[\"']\s*>"),
    Exclusion(
        "a value that ends as a CDATA section does is taken for one, where nothing in it needs one",
        lambda said: any(
            isinstance(value, str) and value.rstrip().endswith("]]>") and not any(each in value for each in "<&\n")
            for call in said.calls
            for value in call.arguments.values()
        ),
    ),
    Exclusion(
        "a list that is printed as Python, and isn't JSON, is a string where the schema allows one too",
        lambda said: any(
            isinstance(value, list) and not _is_json(str(value))
            for call in said.calls
            for value in call.arguments.values()
        ),
    ),
    *_as_written(
        raw_values(
            r"<param\s*name=[\"']([^\"'<\n]*)[\"']>",
            "</param>",
            "</function>",
            r"<function\s*name=|<\|im_end\|>",
        )
    ),
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
    "k2_horizon": Family(
        writers=(Writer(k2_horizon, IFM), Writer(k2_horizon_typed, IFM), Writer(k2_horizon_json, IFM)),
        canonical="Trains.\n</ifm|think>\nLet me see.\n<ifm|tool_calls>\n<ifm|tool_call>find_trains\n"
        "<ifm|arg_key>to</ifm|arg_key>\n<ifm|arg_value>Graz</ifm|arg_value>\n"
        "<ifm|arg_key>seats</ifm|arg_key>\n<ifm|arg_value>2</ifm|arg_value>\n</ifm|tool_call>\n"
        "<ifm|tool_call>clock\n</ifm|tool_call>\n</ifm|tool_calls>",
        values="schema",
        closer="</ifm|think>",
    ),
    "dots": Family(
        writers=(Writer(dots, DOTS), Writer(dots_compact, DOTS_COMPACT), Writer(dots_json, DOTS)),
        canonical="<think>\nTrains.\n</think>\n\nLet me see.<dots_function_call>\n"
        '<invoke name="find_trains">\n<parameter name="to">\nGraz\n</parameter>\n'
        '<parameter name="seats">\n2\n</parameter>\n</invoke>\n<invoke name="clock">\n</invoke>\n'
        "</dots_function_call>",
        values="schema",
    ),
    "minicpm5": Family(
        writers=(
            Writer(minicpm5, MINICPM5),
            Writer(minicpm5_told, MINICPM5),
            Writer(minicpm5_arguments, MINICPM5),
        ),
        canonical="<think>\nTrains.\n</think>\n\nLet me see.\n"
        '<function name="find_trains"><param name="to">Graz</param><param name="seats">2</param></function>\n'
        '<function name="clock"></function>',
        values="schema",
    ),
}
