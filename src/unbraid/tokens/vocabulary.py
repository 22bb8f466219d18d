"""What a tokenizer is asked, whatever its kind: the text of an id, and the ids of special tokens.

Tokenizers differ in all but one thing: they decode ids. A :class:`Vocabulary` needs that and, where it can be had, the
list of tokens that were added to the vocabulary. It takes ``tokenizers.Tokenizer``, the tokenizers of transformers and
of mistral-common, ``tiktoken.Encoding``, and anything else with ``decode(ids)`` and ``get_vocab()`` (or ``vocab``).

What lives here: that, and what is worked out once for a format and a vocabulary (:class:`Marking`). What doesn't:
decoding as ids arrive (``detokenizer``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from operator import index
from typing import Any
from weakref import WeakKeyDictionary

from ..checks import all_markers
from ..format import Format, FormatError, spellings
from ..literals import MARK
from ..start import last_boundary
from .detokenizer import REPLACEMENT, Detokenizer
from .marked import Speller, marked

WINDOWS = (512, 8192)
"""Of so much of a prompt's end it is tried whether that is enough, since most of a long one says nothing."""
_SAMPLE = 2000
"""Among so many first ids is one that decodes to a letter."""

Decode = Callable[[list[int]], str]


class Vocabulary:
    """A tokenizer, asked for what unbraid needs. Make one for each tokenizer and give it to every parser.

    Args:
        tokenizer: see above.

    Raises:
        FormatError: it can't decode ids.

    >>> Vocabulary(tokenizer).id_of("<think>")  # doctest: +SKIP
    248068
    """

    def __init__(self, tokenizer: Any) -> None:
        # mistral-common's is inside of what writes its prompts.
        tokenizer = getattr(getattr(tokenizer, "instruct_tokenizer", None), "tokenizer", tokenizer)
        self._decode = _decoder(tokenizer)
        self.added: Mapping[int, str] = _added(tokenizer)
        """The tokens that were added to the ordinary ones, by id; empty where the tokenizer doesn't tell."""
        self._tokens: Mapping[str, int] = {text: id for id, text in self.added.items()} or _tokens(tokenizer)
        self._markings: dict[tuple[Format, bool], Marking] = {}
        letter = (each for each in range(_SAMPLE) if len(text := self.decode([each])) == 1 and text.isalnum())
        self._letter = next(letter, None)
        """An id that decodes to one letter. Some decoders treat a text's first token in a way of its own."""

    @classmethod
    def of(cls, tokenizer: Any) -> Vocabulary:
        """The vocabulary of a tokenizer; the same one each time, where the tokenizer lets itself be remembered."""
        if isinstance(tokenizer, Vocabulary):
            return tokenizer
        with suppress(TypeError):
            known = _KNOWN.get(tokenizer)
            if known is None:
                known = _KNOWN[tokenizer] = cls(tokenizer)
            return known
        return cls(tokenizer)

    def id_of(self, token: str) -> int | None:
        """The id of a special token; ``None`` if it isn't one token."""
        return self._tokens.get(token)

    def decode(self, ids: list[int]) -> str:
        """The text of ids, as at the beginning of a text. An id that there isn't is a replacement character."""
        try:
            return self._decode(ids)
        except Exception:  # whatever a tokenizer raises for ids that it doesn't know
            return REPLACEMENT

    def piece(self, *ids: int) -> str:
        """The text of ids in the middle of a text. It has replacement characters where bytes are missing."""
        if self._letter is None:
            return self.decode([*ids])
        text = self.decode([self._letter, *ids])
        return text if text == REPLACEMENT else text[1:]

    def marking(self, format: Format, *, spelled: bool = False) -> Marking:
        """What this vocabulary makes of a format's markers; worked out once.

        Args:
            format: any format.
            spelled: whether special tokens count also where ordinary ones spell them.
        """
        found = self._markings.get((format, spelled))
        if found is None:
            found = self._markings[format, spelled] = Marking(format, self, "" if spelled else MARK)
        return found


_KNOWN: WeakKeyDictionary[Any, Vocabulary] = WeakKeyDictionary()
"""Vocabularies of tokenizers that are still in use, since asking a tokenizer for its tokens takes long."""


class Marking:
    """A format as one vocabulary writes it: which of its markers hold special tokens, and the text of every id."""

    def __init__(self, format: Format, vocabulary: Vocabulary, mark: str) -> None:
        self.vocabulary = vocabulary
        self.tokens: dict[str, int] = _special(format, vocabulary)
        """The special tokens in the format's markers, with their ids."""
        self.format = marked(format, self.tokens) if mark else format
        """The format whose markers need real special tokens, or may be spelled."""
        self.special: dict[int, str] = {id: mark + token for token, id in self.tokens.items()}
        """The special tokens of its markers by id, as the machine is given them."""
        self.pieces: dict[int, str] = dict(self.special)
        """The texts of ids that are whole by themselves; filled as they come."""
        self.words: dict[int, str] = {}
        """The same without the special tokens of the format's markers."""
        self.parts: set[int] = set()
        """Ids that are only part of a character."""
        self.marks = bool(mark and self.tokens)
        """Whether special tokens are marked."""
        self.speller = Speller(self.tokens if mark else ())

    def prompt(self, prompt: str | Sequence[int]) -> str:
        """A prompt as the machine is given it, from before its last turn boundary on; the whole of it if it has none.

        Args:
            prompt: text, in which all that reads like a special token is one; or ids.
        """
        for size in WINDOWS:
            if size < len(prompt):
                text = self._text(prompt[-size:])
                if last_boundary(text, self.format.turns) is not None:
                    return text
        return self._text(prompt)

    def _text(self, piece: str | Sequence[int]) -> str:
        if isinstance(piece, str):
            return self.speller.mark(piece.replace(MARK, REPLACEMENT))
        decoding = Detokenizer(self)
        return "".join([text for id in piece for text in decoding.feed(index(id))] + [decoding.finish()])

    def learn(self, id: int) -> str | None:
        """The text of an id, in the middle of a text; ``None`` if it isn't whole by itself."""
        if id in self.parts:
            return None
        text = self.vocabulary.added.get(id)
        if text is None:
            text = self.vocabulary.piece(id)
            if REPLACEMENT in text:
                self.parts.add(id)
                return None
        self.pieces[id] = self.words[id] = text
        return text


def _special(format: Format, vocabulary: Vocabulary) -> dict[str, int]:
    """The tokens in a format's markers that the vocabulary has: those that the format calls special, and all that were
    added to it."""
    literals = "\n".join(literal for _, spelling in all_markers(format) for literal in spellings(spelling))
    found = {}
    for token in (*format.special, *(text for text in vocabulary.added.values() if text.strip() and text in literals)):
        id = vocabulary.id_of(token)
        if id is not None and not re.fullmatch(r"\w+", token):
            found[token] = id
    return found


# -- asking tokenizers -------------------------------------------------------------------------------------------


def _decoder(tokenizer: Any) -> Decode:
    """How it decodes with special tokens left in and nothing cleaned up."""
    decode = getattr(tokenizer, "decode", None)
    if not callable(decode):
        raise FormatError(f"a tokenizer needs decode(ids); {type(tokenizer).__name__} has none")
    ways: list[dict[str, Any]] = [
        {"skip_special_tokens": False, "clean_up_tokenization_spaces": False},
        {"skip_special_tokens": False},
        {},
    ]
    if type(tokenizer).__module__.startswith("mistral_common."):
        policies = import_module("mistral_common.tokens.tokenizers.base")
        ways.insert(0, {"special_token_policy": policies.SpecialTokenPolicy.KEEP})
    for options in ways:
        try:
            decode([], **options)
        except TypeError:
            continue
        except Exception:  # an empty list may be refused
            pass
        return lambda ids: str(decode(ids, **options))
    raise FormatError(f"{type(tokenizer).__name__}.decode doesn't take a list of ids")


def _added(tokenizer: Any) -> dict[int, str]:
    if hasattr(tokenizer, "get_added_tokens_decoder"):  # tokenizers
        return {id: str(token.content) for id, token in tokenizer.get_added_tokens_decoder().items()}
    if isinstance(getattr(tokenizer, "added_tokens_decoder", None), Mapping):  # transformers
        return {int(id): str(token) for id, token in tokenizer.added_tokens_decoder.items()}
    if hasattr(tokenizer, "special_tokens_set"):  # tiktoken
        return {tokenizer.encode_single_token(token): token for token in tokenizer.special_tokens_set}
    if hasattr(tokenizer, "special_ids") and hasattr(tokenizer, "id_to_piece"):  # mistral-common
        return {id: tokenizer.id_to_piece(id) for id in tokenizer.special_ids}
    return {}


def _tokens(tokenizer: Any) -> dict[str, int]:
    """All tokens by their text."""
    vocabulary: Any = getattr(tokenizer, "get_vocab", None) or getattr(tokenizer, "vocab", None)
    if callable(vocabulary):
        vocabulary = vocabulary()
    if isinstance(vocabulary, Mapping):
        return {str(token): int(id) for token, id in vocabulary.items()}
    if isinstance(vocabulary, Iterable):
        return {str(token): id for id, token in enumerate(vocabulary)}
    return {}
