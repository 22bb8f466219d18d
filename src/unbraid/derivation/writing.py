"""What a chat template writes for small conversations of our own, whose words can be found again in it.

Jinja's and Go's templates are asked here in the same way; what their answers tell is ``turns``', ``thinking``'s and
``calling``'s to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from . import go, jinja
from .run import Raised, run

SYSTEM, USER, ANSWER, THOUGHT, RESULT = "zqsystemzq", "zquserzq", "zqanswerzq", "zqthoughtzq", "zqresultzq"
NEXT_USER, NEXT_ANSWER = "zqnextuserzq", "zqnextanswerzq"
BEGINNING, END = "<zqbeginningzq>", "<zqendzq>"
"""What the variables ``bos_token`` and ``eos_token`` stand for if it isn't known."""
NAMES = ("zqfirstzq", "zqsecondzq")
IDS = ("zqcallaaa", "zqcallbbb")
"""Nine letters each, which is what some templates insist on."""
ARGUMENTS = {"zqkeyaa": "zqvalueaa", "zqkeybb": "zqvaluebb"}

Message = dict[str, Any]


def user(text: str = USER) -> Message:
    """A user's turn."""
    return {"role": "user", "content": text}


def assistant(text: str = ANSWER, thought: str = "", calls: int = 0) -> Message:
    """The model's turn."""
    said: Message = {"role": "assistant", "content": text}
    if thought:
        # Templates look for one of these.
        said |= dict.fromkeys(("reasoning_content", "reasoning", "thinking", "thought"), thought)
    if calls:
        said["tool_calls"] = [called(NAMES[at], ARGUMENTS, IDS[at]) for at in range(calls)]
    return said


def called(name: str, arguments: Mapping[str, Any], id: str) -> dict[str, Any]:
    """One call, as OpenAI's API has it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": dict(arguments)}}


def tool(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a tool with such arguments."""
    properties = {
        key: {"type": "integer" if isinstance(value, int) else "string", "description": "Any."}
        for key, value in arguments.items()
    }
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": schema}}


class Writer:
    """A chat template that can be asked what it writes."""

    def __init__(self, template: str, tokens: Mapping[str, str]) -> None:
        """Raises :class:`NotRead` if the template can't be read.

        Args:
            template: Jinja's text or Go's.
            tokens: what is known of the variables ``bos_token``, ``eos_token`` and others.
        """
        self.text = template
        self.is_go = go.is_go(template)
        self._nodes = go.read(template) if self.is_go else jinja.read(template)
        self._tokens = {"bos_token": BEGINNING, "eos_token": END, **tokens}

    def write(self, *messages: Message, prompt: bool = False, **variables: Any) -> str | None:
        """The text for a conversation; ``None`` if the template refuses such a one.

        Args:
            messages: the conversation.
            prompt: whether the beginning of the model's turn is written at its end.
            variables: what the template is given besides.
        """
        names = {**dict.fromkeys(NAMES, ARGUMENTS), **_tools_of(messages)}
        tools = [tool(name, given) for name, given in names.items()] if _calls(messages) else None
        try:
            if self.is_go:
                return self._write_go(deepcopy(messages), tools, prompt=prompt, **variables)
            given = {**self._tokens, "messages": list(deepcopy(messages)), "tools": tools, **variables}
            return run(self._nodes, {**given, "add_generation_prompt": prompt})
        except Raised:
            return None

    def _write_go(self, messages: tuple[Message, ...], tools: Any, *, prompt: bool, **variables: Any) -> str:
        system = "".join(each["content"] for each in messages if each["role"] == "system")
        thinks = variables.get("Think")
        known: dict[str, Any] = {"Tools": [_Json(each) for each in tools or []], "System": system}
        known |= {"Think": thinks, "IsThinkSet": thinks is not None, "ThinkLevel": ""}
        if ".Messages" in self.text:
            root = {**known, "Messages": [_go_message(each) for each in messages]}
            return run(self._nodes, {"root": root, "dot": root})
        # An older template writes one turn: what was asked, and then the answer.
        written = []
        for asked, answered in zip(
            [each for each in messages if each["role"] == "user"],
            [*(each for each in messages if each["role"] == "assistant"), {"content": END}],
            strict=False,
        ):
            root = {**known, "Prompt": asked["content"], "Response": answered["content"]}
            written.append(run(self._nodes, {"root": root, "dot": root}).partition(END)[0])
            known["System"] = ""
        return "".join(written)

    def tells(self, text: str) -> bool:
        """Whether a text stands in the template."""
        return text in self.text

    @property
    def variables(self) -> tuple[str, ...]:
        """Variables of the template by which thinking may be switched."""
        if self.is_go:
            return ("Think",) if ".Think" in self.text or ".IsThinkSet" in self.text else ()
        found = re.findall(r"\b(?:enable_)?(?:thinking|reasoning)\b", self.text)
        return tuple(sorted({each for each in found if re.search(rf"(?<![.\w'\"]){each}\b(?!\s*[:>/])", self.text)}))


class _Json(dict[str, Any]):
    """An object that a Go template writes as JSON."""

    def __str__(self) -> str:
        return json.dumps(self, ensure_ascii=False)


def _go_message(message: Message) -> dict[str, Any]:
    functions = [each["function"] for each in message.get("tool_calls", ())]
    calls = [_Json(Function=_Json(Name=each["name"], Arguments=_arguments(each["arguments"]))) for each in functions]
    return {
        "Role": message["role"],
        "Content": message["content"],
        "Thinking": message.get("thinking", ""),
        "ToolCalls": calls,
        "ToolName": message.get("name", ""),
    }


def _arguments(given: Any) -> Any:
    return _Json(given) if isinstance(given, Mapping) else given


def _tools_of(messages: tuple[Message, ...]) -> dict[str, Mapping[str, Any]]:
    functions = [each["function"] for message in messages for each in message.get("tool_calls", ())]
    return {each["name"]: each["arguments"] for each in functions if isinstance(each["arguments"], Mapping)}


def _calls(messages: tuple[Message, ...]) -> bool:
    return any("tool_calls" in each for each in messages)


def between(text: str | None, before: str, after: str = "") -> str | None:
    """What stands between two words of the conversation; ``None`` if one isn't there."""
    if text is None or before not in text:
        return None
    rest = text.rpartition(before)[2]
    if not after:
        return rest
    return rest.partition(after)[0] if after in rest else None
