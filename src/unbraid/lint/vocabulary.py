"""A format against a tokenizer: are its special markers tokens, and are tokens that it writes declared?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ..format import Format, nearest
from .finding import Finding, texts
from .structure import plain

_LIKE_A_MARKER = re.compile(r"[<\[(〈]\S+[>\])〉]")
"""What a token looks like that is meant as a marker, where a vocabulary doesn't say which are."""


@runtime_checkable
class HasVocab(Protocol):
    """A tokenizer, such as those of ``tokenizers`` and ``transformers``."""

    def get_vocab(self) -> Mapping[str, int]:
        """Every token with its id."""
        ...


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a model."""

    tokens: frozenset[str]
    """All of them, as the tokenizer spells them."""
    added: frozenset[str]
    """Those that were added to what was learned: markers, as a rule. They are spelled as in a text."""

    @classmethod
    def of(cls, tokenizer: Vocabulary | HasVocab) -> Vocabulary:
        """The vocabulary of a tokenizer.

        Raises:
            TypeError: it has no ``get_vocab``.
        """
        if isinstance(tokenizer, Vocabulary):
            return tokenizer
        if not isinstance(tokenizer, HasVocab):
            raise TypeError(f"a tokenizer has get_vocab(), {type(tokenizer).__name__} doesn't; give a Vocabulary")
        every = frozenset(tokenizer.get_vocab())
        added: Iterable[str] = (token for token in every if len(token) > 3 and _LIKE_A_MARKER.fullmatch(token))
        if hasattr(tokenizer, "get_added_tokens_decoder"):
            added = (token.content for token in tokenizer.get_added_tokens_decoder().values())
        elif hasattr(tokenizer, "get_added_vocab"):
            added = tokenizer.get_added_vocab()
        return cls.from_tokens(every, added)

    @classmethod
    def from_tokens(cls, tokens: Iterable[str], added: Iterable[str] = ()) -> Vocabulary:
        """The vocabulary that holds these tokens."""
        some = frozenset(added)
        return cls(frozenset(tokens) | some, some)

    @classmethod
    def from_json(cls, text: str) -> Vocabulary:
        """The vocabulary in the text of a ``tokenizer.json``, or the added tokens in a ``tokenizer_config.json``.

        Raises:
            ValueError: it is neither; the message says what is missing.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it isn't valid JSON: {error}") from None
        data = data if isinstance(data, dict) else {}
        model = data.get("model")
        learned = model.get("vocab") if isinstance(model, dict) else None
        added = _contents(data.get("added_tokens")) | _contents(data.get("added_tokens_decoder"))
        if not isinstance(learned, (dict, list)) and not added:
            raise ValueError("it holds no tokens; give the tokenizer.json that lies beside the model")
        return cls.from_tokens(_names(learned), added)


def _names(learned: Any) -> Iterable[str]:
    """The tokens of ``model.vocab``: keys with their ids, or pairs with their scores."""
    if isinstance(learned, dict):
        return learned
    return (pair[0] for pair in learned or () if isinstance(pair, list) and pair and isinstance(pair[0], str))


def _contents(added: Any) -> set[str]:
    """The texts of added tokens, which come in a list or by their ids."""
    every = added.values() if isinstance(added, dict) else added if isinstance(added, list) else ()
    return {each["content"] for each in every if isinstance(each, dict) and isinstance(each.get("content"), str)}


def against_vocabulary(format: Format, vocabulary: Vocabulary) -> list[Finding]:
    """What doesn't fit a tokenizer."""
    return [*_missing(format, vocabulary), *_undeclared(format, vocabulary)]


def _missing(format: Format, vocabulary: Vocabulary) -> list[Finding]:
    found = []
    for place, token in enumerate(format.special):
        if token in vocabulary.tokens or _with_hole(token, vocabulary):
            continue
        near = nearest(token, sorted(vocabulary.added or vocabulary.tokens))
        near = near if "did you mean" in near else "; leave it out if the model writes it in several tokens"
        said = f"{token!r} is not one token of this tokenizer{near}"
        found.append(Finding("error", "not-a-token", f"special[{place}]", said))
    return found


def _with_hole(token: str, vocabulary: Vocabulary) -> bool:
    """Whether the token is there with something in place of its hole."""
    parts = plain(token)
    if parts == [token]:
        return False
    pattern = re.compile(r"\S*".join(map(re.escape, parts)) + r"\S*")
    return any(pattern.fullmatch(each) for each in vocabulary.added)


def _undeclared(format: Format, vocabulary: Vocabulary) -> list[Finding]:
    found: dict[str, Finding] = {}
    special = sorted((part for token in format.special for part in plain(token)), key=len, reverse=True)
    candidates = [token for token in vocabulary.added if len(token) > 2 and not token.isalnum()]
    candidates = [token for token in candidates if token not in format.special and not token.isspace()]
    for where, pieces in texts(format):
        rest = "\n".join(pieces)
        for token in special:
            rest = rest.replace(token, "\n")
        for token in candidates:
            if token in rest and token not in found:
                said = f"the tokenizer has {token!r} as one token; add it to special if the model writes it so"
                found[token] = Finding("note", "undeclared-token", where, said)
    return [found[token] for token in sorted(found)]
