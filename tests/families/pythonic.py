"""Writers of the formats whose calls are Python: Llama 4 and ToolACE, OLMo 3, LFM2."""

from __future__ import annotations

import json
from collections.abc import Callable
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
    whole_header,
)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _call(call: Call, show: Callable[[Any], str] = _json) -> str:
    """``f(a="x", b=true)``, values as JSON; with ``show=repr`` as Python, strings in single quotes."""
    return f"{call.name}({', '.join(f'{key}={show(value)}' for key, value in call.arguments.items())})"


def _list(said: Said, show: Callable[[Any], str] = _json) -> str:
    return f"[{', '.join(_call(call, show) for call in said.calls)}]"


# --- Llama 3.2 and 4, ToolACE: the list alone -----------------------------------------------------------------------

LLAMA_4 = "<|header_start|>user<|header_end|>\n\nhi<|eot|><|header_start|>assistant<|header_end|>\n\n"
LLAMA_3 = "<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
GEMMA_3 = "<start_of_turn>user\nhi<end_of_turn>\n<start_of_turn>model\n"


def _pythonic(said: Said, prompt: str, show: Callable[[Any], str]) -> Written:
    """A list after words needs the tokens around it."""
    calls = _list(said, show) if said.calls else ""
    if calls and said.content:
        calls = f"<|python_start|>{calls}<|python_end|>"
    return Written(said.content + calls + said.after, prompt)


def pythonic(said: Said) -> Written:
    """Llama 4."""
    return _pythonic(said, LLAMA_4, _json)


def pythonic_python(said: Said) -> Written:
    """Llama 3.2, values as Python writes them."""
    return _pythonic(said, LLAMA_3, repr)


def pythonic_gemma(said: Said) -> Written:
    """Gemma 3."""
    return _pythonic(said, GEMMA_3, _json)


PYTHONIC_EXCLUDED = (
    LAYOUT,
    ends_of_turn(
        "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>", "<start_of_turn>", "<end_of_turn>"
    ),
    whole_header(r"<\|python_start\|>\s*(?:\[\s*)?[^\W\d]"),
    Exclusion(
        "an answer that begins with a name and a parenthesis, in a bracket or not, is a call",
        content_matches(r"^\s*(?:\[\s*)?[^\W\d][\w.\-]*\s*\("),
    ),
)

# --- OLMo 3: a call a line between tags -----------------------------------------------------------------------------

CHATML = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def _olmo3(said: Said, call: Callable[[Call], str], line: str) -> Written:
    lines = "\n".join(call(each) for each in said.calls)
    body = said.content + (f"<function_calls>{line}{lines}{line}</function_calls>" if lines else "") + said.after
    if said.reasoning is None:
        return Written(body, CHATML)
    return Written(f"{said.reasoning}</think>" + body, CHATML + "<think>")


def olmo3(said: Said) -> Written:
    """As trained: no line ends around the calls."""
    return _olmo3(said, _call, "")


def olmo3_lines(said: Said) -> Written:
    """As vLLM's template writes it, with values as Python writes them."""
    return _olmo3(said, lambda call: _call(call, repr), "\n")


THINK_LINES = Exclusion(
    "models write line ends around the tags, so those at thinking's edges and at the answer's start can't be told",
    lambda said: (
        said.reasoning is not None
        and (
            said.reasoning.startswith("\n")
            or said.reasoning.endswith("\n")
            or (said.content or said.after).startswith("\n")
        )
    ),
)

OLMO3_EXCLUDED = (
    *THINK,
    LAYOUT,
    THINK_LINES,
    ends_of_turn("<|im_end|>", "<|endoftext|>", "<|im_start|>"),
    whole_header(r"<function_calls>\s*[^\W\d]"),
    Exclusion(
        "thinking with nothing after it is the answer",
        lambda said: bool(said.reasoning) and not said.content and not said.calls,
    ),
)

# --- LFM2: the list between tokens ----------------------------------------------------------------------------------


def _lfm2(said: Said, calls: str, around: tuple[str, str]) -> Written:
    body = said.content + (f"<|tool_call_start|>{calls}<|tool_call_end|>" if said.calls else "") + said.after
    if said.reasoning is None:
        return Written(body, CHATML)
    return Written(f"<think>{around[0]}{said.reasoning}{around[1]}" + body, CHATML)


def lfm2(said: Said) -> Written:
    """LFM2.5: no line ends, values as JSON."""
    return _lfm2(said, _list(said), ("", "</think>"))


def lfm2_python(said: Said) -> Written:
    """Line ends around thinking, values as Python writes them."""
    return _lfm2(said, _list(said, repr), ("\n", "\n</think>\n\n"))


def lfm2_json(said: Said) -> Written:
    """JSON between the tokens."""
    calls = ", ".join(f'{{"name": {_json(call.name)}, "arguments": {call.text}}}' for call in said.calls)
    return _lfm2(said, f"[{calls}]", ("", "</think>"))


LFM2_EXCLUDED = (
    *THINK,
    LAYOUT,
    ends_of_turn("<|im_end|>", "<|endoftext|>", "<|im_start|>"),
    whole_header(r"<\|tool_call_start\|>\s*[\[{\w]|\[Calling tool:"),
)
LFM2_COMPACT_EXCLUDED = (*LFM2_EXCLUDED, THINK_LINES)


FAMILIES = {
    "pythonic": Family(
        (
            Writer(pythonic, PYTHONIC_EXCLUDED),
            Writer(pythonic_python, PYTHONIC_EXCLUDED),
            Writer(pythonic_gemma, PYTHONIC_EXCLUDED),
        ),
        'Let me see.<|python_start|>[find_trains(to="Graz", seats=2), clock()]<|python_end|>',
        values="itself",
        closer=None,
    ),
    "olmo3": Family(
        (Writer(olmo3, OLMO3_EXCLUDED), Writer(olmo3_lines, OLMO3_EXCLUDED)),
        'Trains.</think>Let me see.<function_calls>find_trains(to="Graz", seats=2)\nclock()</function_calls>',
        values="itself",
    ),
    "lfm2": Family(
        (
            Writer(lfm2, LFM2_COMPACT_EXCLUDED),
            Writer(lfm2_python, LFM2_EXCLUDED),
            Writer(lfm2_json, LFM2_COMPACT_EXCLUDED),
        ),
        "<think>Trains.</think>Let me see."
        '<|tool_call_start|>[find_trains(to="Graz", seats=2), clock()]<|tool_call_end|>',
        values="itself",
    ),
}
