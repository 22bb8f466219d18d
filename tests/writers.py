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
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Call:
    """A call that a model means to make."""

    name: str
    arguments: dict[str, Any]
    text: str
    """The arguments as JSON text; formats that carry JSON must hand out exactly these characters."""
    declared: frozenset[str] = frozenset()
    """The parameters that the tool's schema declares."""


@dataclass(frozen=True)
class Said:
    """What a model means to say."""

    reasoning: str | None
    """``None``: thinking was off."""
    content: str
    calls: tuple[Call, ...] = ()
    after: str = ""
    """Content after the last call (empty without calls)."""


class Written(NamedTuple):
    """What the model's output looks like."""

    text: str
    prompt: str
    """The end of the prompt before it."""
    ids: tuple[str, ...] | None = None
    """The calls' ids where the format has them on the wire."""


class Exclusion(NamedTuple):
    """A kind of message that a format can't express."""

    reason: str
    holds: Callable[[Said], bool]


@dataclass(frozen=True)
class Writer:
    """A layout of a format: how it is written and what it can't say."""

    write: Callable[[Said], Written]
    excluded: tuple[Exclusion, ...] = field(default=(), repr=False)

    def unspeakable(self, said: Said) -> str | None:
        """Why this message can't be written in this layout; ``None`` if it can."""
        return next((each.reason for each in self.excluded if each.holds(said)), None)


def _spoken(said: Said) -> tuple[str, str]:
    return said.content, said.after


def _content_matches(pattern: str) -> Callable[[Said], bool]:
    compiled = re.compile(pattern)
    return lambda said: any(compiled.search(text) for text in _spoken(said))


def _text_has(*markers: str) -> Callable[[Said], bool]:
    return lambda said: any(m in text for m in markers for text in (said.reasoning or "", *_spoken(said)))


def values_as_text(call: Call, scalar: Callable[[Any], str] = json.dumps) -> dict[str, str]:
    """A call's arguments for formats that print strings raw and everything else as JSON."""
    shown: dict[str, str] = {}
    for key, value in call.arguments.items():
        if isinstance(value, str):
            shown[key] = value
        elif isinstance(value, (dict, list)):
            shown[key] = json.dumps(value, ensure_ascii=False)
        else:
            shown[key] = scalar(value)
    return shown


THINK = (
    Exclusion(
        "reasoning that holds its own closer ends there",
        lambda said: (said.reasoning or "").find("</think>") >= 0,
    ),
    Exclusion(
        "a repeated opener at the start of reasoning is one opener (models repeat what the prompt already wrote)",
        lambda said: (said.reasoning or "").lstrip().startswith("<think>"),
    ),
    Exclusion(
        "content that begins with a thinking marker is a thinking block, or the second half of one",
        lambda said: said.content.lstrip().startswith(("<think>", "</think>")),
    ),
)
"""Holds for every format with ``<think>`` … ``</think>``."""

LAYOUT = Exclusion(
    "white space alone before a call is layout, not an answer",
    lambda said: bool(said.calls) and said.content.isspace(),
)
"""Holds for every format with calls."""


# --- Qwen3, Hermes: a JSON object with name and arguments -----------------------------------------------------------

QWEN_PROMPT = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
QWEN_OFF = QWEN_PROMPT + "<think>\n\n</think>\n\n"
QWEN_ENDS = Exclusion("an end-of-turn marker is markup wherever it stands", _text_has("<|im_end|>", "<|endoftext|>"))


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
        "content with an opener and the start of a JSON value is a call", _content_matches(r"<tool_call>\s*[\[{]")
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
        "content with a whole call header is a call", _content_matches(r"<function=[^<>]*>|<tool_call>\s*<function=")
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
    Exclusion("an end-of-turn marker is markup wherever it stands", _text_has("<｜end▁of▁sentence｜>")),
    Exclusion(
        "content with a whole call header is a call",
        _content_matches(r"<｜tool▁call▁begin｜>[^<>｜\n]*<｜tool▁sep｜>"),
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
    Exclusion("an end-of-turn marker is markup wherever it stands", _text_has("<|im_end|>", "[EOS]")),
    Exclusion(
        "words after a section's opener are noise until the section ends",
        _content_matches(r"<\|tool_calls?_section_begin\|>"),
    ),
    Exclusion(
        "content with a whole call header is a call",
        _content_matches(r"<\|tool_call_begin\|>[^<>|]*<\|tool_call_argument_begin\|>"),
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
        "an end-of-turn marker is markup wherever it stands", _text_has("<|user|>", "<|observation|>", "<|endoftext|>")
    ),
    Exclusion(
        "content with an opener, a name and what follows a name is a call",
        _content_matches(r"<tool_call>\s*[^\s<>]+\s*(?:<arg_key>|</tool_call>|$)"),
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
}
"""Every listed format's writers, by the format's name, the usual layout first."""

RAW_VALUES = frozenset({"qwen3_coder", "glm47"})
"""Formats whose values are raw text, typed by the tool's schema. In all others arguments are JSON, byte for byte."""
