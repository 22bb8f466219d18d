"""Families close to Qwen's: its two ways to write calls, or none, and markers of their own for a few small models."""

from __future__ import annotations

import json
import re
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
    thinking,
    values_as_text,
    whole_header,
)

CHATML = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
CHATML_ENDS = ends_of_turn("<|im_end|>", "<|endoftext|>")

# --- one element per parameter ----------------------------------------------------------------------------------------

CODER_VALUES = raw_values(
    r"<parameter=([^<>]*)>",
    "</parameter>",
    "</function>",
    r"</tool_call>|<tool_call>|<function=|<\|im_end\|>|<\|endoftext\|>",
)
CODER_HEADER = whole_header(r"<function=[^<>]*>|<tool_call>\s*(?:<function=|</tool_call>)")


def _python(value: Any) -> str:
    return str(value)


def _coder_call(call: Call, scalar: Any = _python) -> str:
    parameters = "".join(
        f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in values_as_text(call, scalar).items()
    )
    return f"<tool_call>\n<function={call.name}>\n{parameters}</function>\n</tool_call>"


def _nemotron_calls(said: Said) -> str:
    return "".join(_coder_call(call) + "\n" for call in said.calls)


def nemotron_super(said: Said) -> Written:
    """Nano and Super: a line end on either side of the closer, and after each call."""
    body = said.content + ("\n" if said.content and said.calls else "") + _nemotron_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, CHATML + "<think></think>")
    return Written(f"{said.reasoning}\n</think>\n" + body, CHATML + "<think>\n")


def nemotron_ultra(said: Said) -> Written:
    """Ultra and 3.5: no line ends at the closer."""
    body = said.content + ("\n" if said.content and said.calls else "") + _nemotron_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, CHATML + "<think></think>")
    return Written(f"{said.reasoning}</think>" + body, CHATML + "<think>\n")


NEMOTRON = (*THINK, LAYOUT, CHATML_ENDS, CODER_HEADER, *CODER_VALUES)
AFTER_EMPTY_BLOCK = Exclusion(
    "line ends at the start of an answer after a closer without any may be the closer's",
    lambda said: said.reasoning is None and said.content.startswith("\n"),
)
AT_BARE_CLOSER = Exclusion(
    "line ends beside a closer without any may be the closer's",
    lambda said: (said.reasoning or "").endswith("\n") or said.content.startswith("\n"),
)


def granite_thinking(said: Said) -> Written:
    """As Nemotron's, with two line ends after the closer."""
    body = said.content + ("\n" if said.content and said.calls else "") + _nemotron_calls(said) + said.after
    if said.reasoning is None:
        return Written(body, CHATML + "<think></think>")
    return Written(f"{said.reasoning}\n</think>\n\n" + body, CHATML + "<think>\n")


def minicpmv(said: Said) -> Written:
    """The model writes the opener; without thinking the prompt wrote an empty block."""
    calls = "\n".join(_coder_call(call, json.dumps) for call in said.calls)
    body = said.content + ("\n\n" if said.content and said.calls else "") + calls + said.after
    if said.reasoning is None:
        return Written(body, CHATML + "<think>\n\n</think>\n\n")
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + body, CHATML)


RESERVED = tuple(f"<{bar}reserved_{number}{bar}>" for bar in ("", "|") for number in (12, 13, 14, 15))


# --- a JSON object per call -------------------------------------------------------------------------------------------


def _object(call: Call) -> str:
    return f'{{"name": {json.dumps(call.name)}, "arguments": {call.text}}}'


def _qwen_body(said: Said) -> str:
    calls = "\n".join(f"<tool_call>\n{_object(call)}\n</tool_call>" for call in said.calls)
    return said.content + ("\n" if said.content and said.calls else "") + calls + said.after


QWEN = (
    *THINK,
    LAYOUT,
    CHATML_ENDS,
    Exclusion(
        "content with an opener and the start of a JSON value is a call", content_matches(r"<tool_call>\s*[\[{]")
    ),
    LINE_BEFORE_CALL,
)


def holo2(said: Said) -> Written:
    """The prompt wrote the opener, or an empty block."""
    if said.reasoning is None:
        return Written(_qwen_body(said), CHATML + "<think>\n\n</think>\n\n")
    return Written(f"{said.reasoning}\n</think>\n\n" + _qwen_body(said), CHATML + "<think>\n")


def trinity(said: Said) -> Written:
    """The model writes the opener."""
    if said.reasoning is None:
        return Written(_qwen_body(said), CHATML)
    return Written(f"<think>\n{said.reasoning}\n</think>\n\n" + _qwen_body(said), CHATML)


CALL_IN_THOUGHT = Exclusion(
    "a whole call in thinking is a call",
    lambda said: bool(re.search(r"<tool_call>\s*[\[{]", said.reasoning or "")),
)


def granite_20b_fc(said: Said) -> Written:
    """A space on either side of each marker."""
    calls = "".join(f" <function_call> {_object(call)}" for call in said.calls)
    return Written(said.content + (calls if said.content else calls.lstrip()) + said.after, "USER: hi\nASSISTANT: ")


GRANITE_20B = (
    LAYOUT,
    ends_of_turn("<|endoftext|>"),
    Exclusion(
        "content with an opener and the start of a JSON value is a call", content_matches(r"<function_call>\s*[\[{]")
    ),
    Exclusion("white space after the last call is layout", lambda said: said.after[:1].isspace()),
)

PHI_PROMPT = "<|user|>hi<|end|><|assistant|>"


def phi4_mini(said: Said) -> Written:
    """All calls in one array behind the word."""
    calls = f"functools[{', '.join(map(_object, said.calls))}]" if said.calls else ""
    return Written(said.content + calls + said.after, PHI_PROMPT)


def phi4_mini_bare(said: Said) -> Written:
    """As the chat templates show earlier calls: nothing around them, where there is nothing else."""
    if said.content or said.after:
        return phi4_mini(said)
    return Written(", ".join(map(_object, said.calls)), PHI_PROMPT)


PHI = (
    LAYOUT,
    ends_of_turn("<|end|>", "<|endoftext|>"),
    Exclusion("content with the word and the start of an array is a call", content_matches(r"functools\s*\[")),
    Exclusion("white space after the last call is layout", lambda said: said.after[:1].isspace()),
)
# --- key/value pairs, and thinking alone ------------------------------------------------------------------------------


def spark25(said: Said) -> Written:
    """One pair a line."""
    calls = "\n".join(
        f"<tool_call>{call.name}\n"
        + "".join(
            f"<arg_key>{key}</arg_key><arg_value>{text}</arg_value>\n" for key, text in values_as_text(call).items()
        )
        + "</tool_call>"
        for call in said.calls
    )
    body = said.content + ("\n" if said.content and said.calls else "") + calls + said.after
    head = "" if said.reasoning is None else f"<think>\n{said.reasoning}\n</think>\n\n"
    return Written(head + body, CHATML)


SPARK = (
    *THINK,
    LAYOUT,
    CHATML_ENDS,
    Exclusion(
        "content with an opener, a name and what follows a name is a call",
        content_matches(r"<tool_call>\s*[^\s<>]+\s*(?:<arg_key>|</tool_call>|$)"),
    ),
    *raw_values(
        r"<arg_key>([^<>\n]*)</arg_key>\s*<arg_value>",
        "</arg_value>",
        "</tool_call>",
        r"<tool_call>|<\|im_end\|>|<\|endoftext\|>",
    ),
)


def kimi(said: Said) -> Written:
    """The model writes the opener."""
    head = "" if said.reasoning is None else f"◁think▷{said.reasoning}◁/think▷"
    prompt = "<|im_user|>user<|im_middle|>hi<|im_end|><|im_assistant|>assistant<|im_middle|>"
    return Written(head + said.content, prompt)


KIMI = (*thinking("◁think▷", "◁/think▷"), ends_of_turn("<|im_end|>", "[EOS]"))

_CODER_CALLS = (
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n<parameter=seats>\n2\n</parameter>\n"
    "</function>\n</tool_call>\n<tool_call>\n<function=clock>\n</function>\n</tool_call>"
)
_QWEN_CALLS = (
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
)
_OBJECTS = '{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}', '{"name": "clock", "arguments": {}}'

FAMILIES = {
    "nemotron_v3": Family(
        (
            Writer(nemotron_super, (*NEMOTRON, AFTER_EMPTY_BLOCK)),
            Writer(nemotron_ultra, (*NEMOTRON, AT_BARE_CLOSER)),
        ),
        f"Trains.\n</think>\nLet me see.\n{_CODER_CALLS}\n",
        "schema",
    ),
    "granite_thinking": Family(
        (Writer(granite_thinking, (*NEMOTRON, AFTER_EMPTY_BLOCK)),),
        f"Trains.\n</think>\n\nLet me see.\n{_CODER_CALLS}\n",
        "schema",
    ),
    "minicpmv": Family(
        (Writer(minicpmv, (*NEMOTRON, ends_of_turn(*RESERVED))),),
        f"<think>\nTrains.\n</think>\n\nLet me see.\n\n{_CODER_CALLS}",
        "schema",
    ),
    "holo2": Family((Writer(holo2, QWEN),), f"Trains.\n</think>\n\nLet me see.\n{_QWEN_CALLS}"),
    "trinity": Family(
        (Writer(trinity, (*QWEN, CALL_IN_THOUGHT)),), f"<think>\nTrains.\n</think>\n\nLet me see.\n{_QWEN_CALLS}"
    ),
    "granite_20b_fc": Family(
        (Writer(granite_20b_fc, GRANITE_20B),),
        f"Let me see. <function_call> {_OBJECTS[0]} <function_call> {_OBJECTS[1]}",
        closer=None,
    ),
    "phi4_mini": Family(
        (Writer(phi4_mini, PHI), Writer(phi4_mini_bare, PHI)),
        f"Let me see.functools[{', '.join(_OBJECTS)}]",
        closer=None,
    ),
    "spark25": Family(
        (Writer(spark25, SPARK),),
        "<think>\nTrains.\n</think>\n\nLet me see.\n<tool_call>find_trains\n<arg_key>to</arg_key><arg_value>Graz"
        "</arg_value>\n<arg_key>seats</arg_key><arg_value>2</arg_value>\n</tool_call>\n<tool_call>clock\n</tool_call>",
        "schema",
    ),
    "kimi": Family((Writer(kimi, KIMI),), "◁think▷Trains.◁/think▷Let me see.", closer="◁/think▷", calls=False),
}
