"""Which format a model writes, told from its chat template, its vocabulary and its name.

What each format is recognised by is data (``format.Signs``); how it is decided is written here, once. What a
directory or a file of a model holds is read in ``detect_path``.

How it is decided
-----------------
A format is a candidate if any of its signs holds; its evidence is what those signs found, all of them together.
Sources are compared in order: the chat template, the added tokens, the model. One candidate beats another if, at the
first source where they differ, it found all that the other found, and more. A longer text says all that a text in it
says, and a narrower pattern all that a wider one does. So ``<tool_call>`` and ``<function=`` beat ``<tool_call>``
alone, and any text in the template beats any name.

The answer is the candidate that beats all others. Two that found different things are a tie, and a tie is no answer.
Nor is a name where the chat template writes calls in a way that no format is recognised by: it speaks against them
all.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Union

from .format import Format, Signs
from .options import OptionError
from .registry import formats

Source = Literal["template", "vocabulary", "model"]
SOURCES: tuple[Source, ...] = ("template", "vocabulary", "model")
"""What evidence comes from, the strongest first."""

ChatTemplate = Union[str, "Sequence[Mapping[str, str]]", "Mapping[str, str]"]
"""A Jinja template, or several of them as in ``tokenizer_config.json``: ``[{"name": ..., "template": ...}]``."""


@dataclass(frozen=True)
class Evidence:
    """One thing that was found."""

    source: Source
    sign: str
    """What it was looked for by: a text, a token, or a pattern for names."""
    found: str
    """Where it was found, in words, e.g. ``"chat template"`` or ``"model name 'Qwen/Qwen3-8B'"``."""


@dataclass(frozen=True)
class Candidate:
    """A format and what speaks for it."""

    format: str
    evidence: tuple[Evidence, ...]

    def _by(self, source: Source) -> list[str]:
        return [each.sign for each in self.evidence if each.source == source]


@dataclass(frozen=True)
class Detected:
    """What was found out about a model."""

    format: str | None
    """The name of the format that it writes; ``None`` if that can't be told."""
    evidence: tuple[Evidence, ...]
    """What speaks for that format; empty if it can't be told."""
    others: tuple[Candidate, ...]
    """Other formats that something speaks for, the stronger first."""
    why: str
    """How it was decided, in a sentence."""
    looked_at: tuple[str, ...]
    """What was given, in words, e.g. ``"chat template"``."""
    toggles: tuple[str, ...]
    """The variables of the chat template that are known to switch thinking, in the order of the alphabet."""

    def __str__(self) -> str:
        lines = [self.format or "unknown", *(f"  {each}" for each in _said(self.evidence)), f"  {self.why}"]
        if self.format is None:
            lines.append(f"  looked at: {', '.join(self.looked_at) or 'nothing'}")
            lines += [f"  for {each.format}: {found}" for each in self.others for found in _said(each.evidence)]
        if self.toggles:
            lines.append(f"  thinking may be switched by {' and '.join(self.toggles)}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""

        def plain(evidence: Iterable[Evidence]) -> list[dict[str, str]]:
            return [{"source": each.source, "sign": each.sign, "found": each.found} for each in evidence]

        return {
            "format": self.format,
            "evidence": plain(self.evidence),
            "others": [{"format": each.format, "evidence": plain(each.evidence)} for each in self.others],
            "why": self.why,
            "looked_at": list(self.looked_at),
            "toggles": list(self.toggles),
        }


def _said(evidence: Iterable[Evidence]) -> list[str]:
    """The evidence in words, what was found in one place together."""
    found: dict[str, list[str]] = {}
    for each in evidence:
        verb = {"template": "holds", "vocabulary": "hold", "model": "fits"}[each.source]
        found.setdefault(f"{each.found} {verb}", []).append(repr(each.sign))
    return [f"{what} {', '.join(signs)}" for what, signs in found.items()]


def detect(
    *,
    chat_template: ChatTemplate | None = None,
    tokenizer_config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    model: Mapping[str, Any] | str | None = None,
    among: Iterable[Format] | None = None,
) -> Detected:
    """Tell which format a model writes. Give what you have; each is optional.

    Args:
        chat_template: the Jinja text, or several named ones; it replaces the one in ``tokenizer_config``.
        tokenizer_config: what ``tokenizer_config.json`` holds, or where that file is.
        model: a name such as ``"Qwen/Qwen3-8B"``, or what ``config.json`` holds.
        among: the formats to choose from; the shipped ones if it isn't given.

    Raises:
        OptionError: one of them isn't what it should be, or the file can't be read.
    """
    look = _Look(chat_template, config_held(tokenizer_config), model)
    every = list(formats().values()) if among is None else list(among)
    candidates = [Candidate(each.name, found) for each in every if (found := look.evidence(each.signs))]
    winner, why = _decide(candidates, writes_calls="tool_calls" in look.template)
    weaker = sorted((each for each in candidates if each is not winner), key=_strength)
    return Detected(
        format=winner.format if winner else None,
        evidence=winner.evidence if winner else (),
        others=tuple(weaker),
        why=why,
        looked_at=look.told(),
        toggles=_toggles(look.template, every),
    )


# ------------------------------------------------------------ the decision


def _decide(candidates: list[Candidate], *, writes_calls: bool) -> tuple[Candidate | None, str]:
    """The candidate that beats all others, if there is one, and why."""
    if not candidates:
        return None, "no format's signs were found"
    best = [each for each in candidates if all(_beats(each, other) for other in candidates if other is not each)]
    if not best:
        tied = [each for each in candidates if not any(_beats(other, each) for other in candidates)]
        return None, f"nothing decides between {' and '.join(sorted(each.format for each in tied))}"
    winner = best[0]
    strongest = next(source for source in SOURCES if winner._by(source))
    if strongest == "model" and writes_calls:
        return (
            None,
            "the chat template writes calls in a way that no format is recognised by, whatever the model's name",
        )
    named = [each.format for each in candidates if each is not winner and each._by("model")]
    if strongest != "model" and named and not winner._by("model"):
        what = "chat template" if strongest == "template" else "vocabulary"
        return winner, f"the {what} decides; the model's name would say {' or '.join(sorted(named))}"
    return winner, {
        "template": "the chat template decides",
        "vocabulary": "the added tokens decide",
        "model": "the model's name decides; a chat template would be surer",
    }[strongest]


def _beats(one: Candidate, other: Candidate) -> bool:
    for source in SOURCES:
        mine, theirs = one._by(source), other._by(source)
        if not _covers(source, mine, theirs):
            return False
        if not _covers(source, theirs, mine):
            return True
    return False


def _covers(source: Source, signs: list[str], others: list[str]) -> bool:
    """Whether each of the others is said by one of the signs."""
    return all(any(_says(source, sign, other) for sign in signs) for other in others)


def _says(source: Source, sign: str, other: str) -> bool:
    return fnmatchcase(_plain(sign), _plain(other)) if source == "model" else other in sign


def _strength(candidate: Candidate) -> tuple[int, int, str]:
    strongest = min(SOURCES.index(each.source) for each in candidate.evidence)
    return strongest, -len(candidate.evidence), candidate.format


# ------------------------------------------------------------ what is looked at


class _Look:
    """What was given, in the form in which signs are looked for."""

    def __init__(self, chat_template: object, tokenizer: Mapping[str, Any], model: object) -> None:
        if chat_template is None:
            chat_template = tokenizer.get("chat_template")
        self.template = _template(chat_template)
        self.vocabulary = added_tokens(tokenizer)
        self.names, self.kinds = _models(model, tokenizer)

    def evidence(self, alternatives: Iterable[Signs]) -> tuple[Evidence, ...]:
        """What those of the signs found that hold, each thing once."""
        found: dict[Evidence, None] = {}
        for signs in alternatives:
            found.update(dict.fromkeys(self._held(signs)))
        return tuple(found)

    def _held(self, signs: Signs) -> list[Evidence]:
        """What the signs found, if all of them hold."""
        if not all(text in self.template for text in signs.template):
            return []
        if any(text in self.template for text in signs.absent):
            return []
        if not self.vocabulary.issuperset(signs.vocabulary):
            return []
        models = self._fitting(signs.models)
        if signs.models and not models:
            return []
        return [
            *(Evidence("template", text, "chat template") for text in signs.template),
            *(Evidence("vocabulary", token, "added tokens") for token in signs.vocabulary),
            *models,
        ]

    def _fitting(self, patterns: Iterable[str]) -> list[Evidence]:
        found = []
        for pattern in patterns:
            plain = _plain(pattern)
            found += [
                Evidence("model", pattern, f"model name {name!r}")
                for name in self.names
                if fnmatchcase(_plain(name), plain)
            ]
            found += [
                Evidence("model", pattern, f"{what} {kind!r}")
                for what, kind in self.kinds
                if "*" not in pattern and _plain(kind) == plain
            ]
        return found

    def told(self) -> tuple[str, ...]:
        said = ["chat template"] if self.template else []
        if self.vocabulary:
            said.append(f"{len(self.vocabulary)} added tokens")
        said += [f"model name {name!r}" for name in self.names]
        said += [f"{what} {kind!r}" for what, kind in self.kinds]
        return tuple(said)


def _plain(name: str) -> str:
    """A name or a pattern without case, and with one sign for what people separate words by."""
    return re.sub(r"[\s_:]", "-", name.lower())


_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_ESCAPE = re.compile(r"\\([nt\"'\\])")
_ESCAPED = {"n": "\n", "t": "\t"}


def _template(given: object) -> str:
    """The text of a chat template or of several, without comments, and with the escapes in its strings resolved."""
    if given is None:
        return ""
    if isinstance(given, str):
        text = _COMMENT.sub("", given)
        return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)
    if isinstance(given, Mapping):
        return "\n".join(_template(each) for each in given.values())
    if isinstance(given, Sequence):
        return "\n".join(_template(each.get("template") if isinstance(each, Mapping) else each) for each in given)
    raise OptionError(f"a chat template is a text, or a list of named ones, not {type(given).__name__}")


def config_held(given: Mapping[str, Any] | str | os.PathLike[str] | None) -> Mapping[str, Any]:
    """What a ``tokenizer_config.json`` holds that is given as such or by its path; empty for none."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return given
    try:
        config = json.loads(Path(given).read_text(encoding="utf-8"))
    except TypeError:
        raise OptionError(f"tokenizer_config is a dict or a path, not {type(given).__name__}") from None
    except OSError as wrong:
        raise OptionError(f"{os.fspath(given)!r} can't be read: {wrong.strerror or wrong}") from None
    except (ValueError, RecursionError):
        raise OptionError(f"{os.fspath(given)!r} isn't JSON") from None
    if not isinstance(config, Mapping):
        raise OptionError(f"{os.fspath(given)!r} must hold a JSON object, as tokenizer_config.json does")
    return config


def added_tokens(tokenizer: Mapping[str, Any]) -> set[str]:
    """The added tokens that a ``tokenizer_config.json`` (or a ``tokenizer.json``) tells of."""
    found: set[str] = set()
    for key in ("added_tokens_decoder", "added_tokens", "additional_special_tokens", "extra_special_tokens"):
        given = tokenizer.get(key)
        every: Iterable[Any] = (
            given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ()
        )
        for each in every:
            token = each.get("content") if isinstance(each, Mapping) else each
            if isinstance(token, str):
                found.add(token)
    return found


def _models(model: object, tokenizer: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """The names of a model; and its architectures and types, each with what it is in words."""
    if model is not None and not isinstance(model, str | Mapping):
        raise OptionError(f"model is a name, or what config.json holds, not {type(model).__name__}")
    if isinstance(model, str):
        return [model] if model else [], []
    names, kinds = [], []
    configs = [each for each in (model, tokenizer) if each is not None]
    configs += [inner for each in configs if isinstance(inner := each.get("text_config"), Mapping)]
    for config in configs:
        if isinstance(name := config.get("_name_or_path"), str) and name:
            names.append(name)
        if isinstance(architectures := config.get("architectures"), list):
            kinds += [("architecture", each) for each in architectures if isinstance(each, str)]
        if isinstance(kind := config.get("model_type"), str):
            kinds.append(("model type", kind))
    return list(dict.fromkeys(names)), list(dict.fromkeys(kinds))


def _toggles(template: str, every: Iterable[Format]) -> tuple[str, ...]:
    known = {name for each in every if each.reasoning for name in each.reasoning.toggle}
    return tuple(sorted(name for name in known if re.search(rf"\b{re.escape(name)}\b", template)))
