"""What a path holds that tells a model's format: a template, a configuration, a directory of them, a GGUF file.

Only reading lives here; what is made of it is decided in ``detect``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .detect import ChatTemplate
from .options import OptionError

FILES = ("chat_template.jinja", "chat_template.json", "tokenizer_config.json", "config.json")
"""What is read of a model's directory. A template in a file of its own replaces the one in the configuration."""

_TELLING = ("chat_template", "response_template", "added_tokens_decoder", "added_tokens", "architectures", "model_type")
_NAMES = ("general.name", "general.basename")
_ADDED = (3, 4)
"""The types that GGUF gives to tokens that were added: control tokens, and those that a user defined."""


class Found(NamedTuple):
    """What a path holds, in the form in which ``detect`` takes it."""

    files: tuple[str, ...]
    """The names of the files that were read."""
    chat_template: ChatTemplate | None = None
    tokenizer_config: Mapping[str, Any] | None = None
    model: Mapping[str, Any] | None = None


def read(path: Path) -> Found:
    """What the file or directory holds.

    Raises:
        OptionError: it can't be read, or holds nothing that tells a format; the message says what would.
    """
    if path.is_dir():
        return _directory(path)
    if path.suffix.lower() == ".gguf":
        return _gguf(path)
    if path.suffix.lower() == ".json":
        return _json(path)
    return Found((path.name,), chat_template=_text(path))


def _directory(path: Path) -> Found:
    files = [path / name for name in FILES if (path / name).is_file()]
    if not files:
        weights = sorted(path.glob("*.gguf"))
        if len(weights) == 1:
            return _gguf(weights[0])
        hint = f"; there are {len(weights)} GGUF files, give one of them" if weights else ""
        raise OptionError(f"{str(path)!r} holds none of {', '.join(FILES)}{hint}")
    template: ChatTemplate | None = None
    tokenizer: Mapping[str, Any] | None = None
    model: dict[str, Any] = {}
    for file in files:
        if file.suffix == ".jinja":
            template = _text(file)
        elif file.name == "config.json":
            model |= _object(file)
        elif file.name == "tokenizer_config.json":
            tokenizer = _object(file)
        elif template is None:
            template = _object(file).get("chat_template")
    model.setdefault("_name_or_path", path.resolve().name)
    return Found(tuple(file.name for file in files), template, tokenizer, model)


def _json(path: Path) -> Found:
    """A tokenizer's or a model's configuration: they have no keys in common, so that it needn't be said which."""
    config = _object(path)
    if not any(config.get(key) for key in _TELLING):
        raise OptionError(
            f"{str(path)!r} has no {', no '.join(_TELLING[:-1])} and no {_TELLING[-1]}; "
            "give tokenizer_config.json or config.json"
        )
    return Found((path.name,), None, config, config)


def _gguf(path: Path) -> Found:
    from .server.errors import SetupError
    from .server.gguf import read_metadata

    tokens, types = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
    try:
        metadata = read_metadata(path, (tokens, types))
    except SetupError as wrong:
        raise OptionError(str(wrong)) from None
    added = [
        token for token, kind in zip(metadata.get(tokens, ()), metadata.get(types, ()), strict=False) if kind in _ADDED
    ]
    template = {
        key: text
        for key, text in metadata.items()
        if key.startswith("tokenizer.chat_template") and isinstance(text, str)
    }
    name = next((metadata[key] for key in _NAMES if isinstance(metadata.get(key), str)), path.stem)
    model = {"_name_or_path": name, "model_type": metadata.get("general.architecture")}
    return Found((path.name,), template or None, {"additional_special_tokens": added}, model)


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(path))
    except json.JSONDecodeError as wrong:
        raise OptionError(
            f"{str(path)!r} is not valid JSON at line {wrong.lineno}, column {wrong.colno}: {wrong.msg}"
        ) from None
    except RecursionError:
        raise OptionError(f"{str(path)!r} is nested too deeply") from None
    if not isinstance(value, dict):
        raise OptionError(f"{str(path)!r} must hold a JSON object, as tokenizer_config.json and config.json do")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise OptionError(
            f"{str(path)!r} is not text; give a chat template, tokenizer_config.json, config.json, a GGUF file "
            "(.gguf), or a directory of them"
        ) from None
    except (OSError, ValueError) as wrong:
        raise OptionError(f"{str(path)!r} can't be read: {getattr(wrong, 'strerror', None) or wrong}") from None
