"""Formats of models that no shipped format is made for, told by their own files.

Two kinds of files tell: what Transformers calls a response template (``response``), and chat templates, Jinja's and
Ollama's (``infer``; what such a template writes is found out in ``run``). Which model is meant is never looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..detect import ChatTemplate, added_tokens, config_held, detect
from ..format import Format, FormatError
from ..parser import parse
from ..registry import resolve
from .infer import from_chat_template
from .response import KEY, from_response_template

__all__ = ["derive", "from_chat_template", "from_response_template"]


def derive(
    *,
    chat_template: ChatTemplate | None = None,
    tokenizer_config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    model: Mapping[str, Any] | str | None = None,
    name: str = "derived",
) -> Format:
    """The format of a model: the listed one that it is recognised by, or one made from what its files say.

    What was found out, and where, stands in the ``source`` of a format that was made.

    Args:
        chat_template: Jinja's text, several named ones, or a Go template; it replaces the one in ``tokenizer_config``.
        tokenizer_config: what ``tokenizer_config.json`` holds, or where that file is.
        model: as for :func:`unbraid.detect`.
        name: what a format that is made is to be called: lower-case letters, digits and underscores.

    Raises:
        FormatError: the files don't tell enough, or what a format can't say.
        OptionError: as for :func:`unbraid.detect`.
    """
    config = config_held(tokenizer_config)
    found = detect(chat_template=chat_template, tokenizer_config=config, model=model)
    by_files = any(each.source != "model" for each in found.evidence)
    if found.format is not None and (by_files or KEY not in config):
        return resolve(found.format)
    template = _one(chat_template if chat_template is not None else config.get("chat_template"))
    if KEY in config:
        return _compared(from_response_template(config, template, name), config, template)
    if "response_schema" in config and template is None:
        raise FormatError(
            "tokenizer_config.json has response_schema, whose regular expressions a format can't say; "
            "give the chat template too"
        )
    if template is None:
        raise FormatError("there is nothing to derive a format from; give a chat template, or tokenizer_config.json")
    return from_chat_template(template, name, tokens=_tokens(config), added=frozenset(added_tokens(config)))


def _compared(format: Format, config: Mapping[str, Any], template: str | None) -> Format:
    """A response template's format, with what the chat template writes for its example.

    Where it reads that otherwise, the chat template's format is taken: the template is what the model was trained with.
    """
    if template is None:
        return format
    try:
        other = from_chat_template(template, format.name, tokens=_tokens(config), added=frozenset(added_tokens(config)))
    except FormatError:
        return format
    if other.tools is None or _read(other.example, format) == _read(other.example, other):
        return replace(format, example=other.example, special=other.special)
    return replace(other, source=f"{other.source} The {KEY} in tokenizer_config.json would read its calls otherwise.")


def _read(text: str, format: Format) -> tuple[Any, ...]:
    message = parse(text, format, thinking=True)
    return (message.reasoning, message.content, [(call.name, call.arguments) for call in message.tool_calls])


def _one(template: ChatTemplate | None) -> str | None:
    """The template that writes calls, of several."""
    if template is None or isinstance(template, str):
        return _unwrapped(template) if template else None
    named: dict[str, str] = {}
    if isinstance(template, Mapping):
        named = {str(key): str(each) for key, each in template.items()}
    elif isinstance(template, Sequence):
        listed = [each for each in template if isinstance(each, Mapping)]
        named = {str(each.get("name")): str(each.get("template", "")) for each in listed}
    for wanted in ("tool_use", "tool", "default"):
        for key, text in named.items():
            if key.rpartition(".")[2] == wanted:
                return text
    return next(iter(named.values()), None)


def _unwrapped(text: str) -> str:
    """The template in an Ollama Modelfile, or the text itself."""
    found = re.search(r'^TEMPLATE\s+"""(.*?)"""', text, re.DOTALL | re.MULTILINE)
    return found[1] if found else text


def _tokens(config: Mapping[str, Any]) -> dict[str, str]:
    """The tokens that templates know by variables: ``eos_token`` and others."""
    found = {}
    for key in ("bos_token", "eos_token", "pad_token", "unk_token"):
        held = config.get(key)
        token = held.get("content") if isinstance(held, Mapping) else held
        if isinstance(token, str) and token:
            found[key] = token
    return found
