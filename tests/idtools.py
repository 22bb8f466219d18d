"""Feeding a parser with ids: in steps of text and ids, in any mixture, and what has to be true of the tokens after.

What lives here works with every tokenizer of ``vocabularies``. Text alone is fed by ``helpers``.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from unbraid import Format, Message, Parser
from vocabularies import Real

Step = tuple[str | None, list[int] | None]
"""What an engine hands over at once: text, ids, or both."""


def read(real: Real, format: str | Format, steps: list[Step], **options: Any) -> Message:
    """The message of these steps. On the way the parser is forked, and what it was forked from reads other things."""
    parser = Parser(format, tokenizer=real.tokenizer, new_call_id=lambda: "id", **options)
    for place, (text, ids) in enumerate(steps):
        if place % 5 == 1:
            stray, parser = parser, parser.fork()
            stray.feed(text and text[::-1], ids and ids[::-1])
        parser.feed(text, ids)
    parser.finish()
    return parser.message


def told(message: Message) -> tuple[Any, ...]:
    """What a message says, without the calls' ids."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return message.reasoning, message.content, calls, [(n.kind, n.start, n.end) for n in message.notes]


def one_by_one(real: Real, ids: list[int], together: bool) -> list[Step]:
    """A step for each id, with the text that it completes or without any."""
    texts: list[str] | list[None] = real.pieces(ids) if together else [None] * len(ids)
    return [(text, [id]) for text, id in zip(texts, ids, strict=True)]


def mixed(data: st.DataObject, real: Real, ids: list[int], prefixes: list[str]) -> list[Step]:
    """The ids in drawn groups: alone, with their text, or with text that lags behind.

    Args:
        data: what is drawn from.
        real: the tokenizer.
        ids: what is fed.
        prefixes: ``real.prefixes(ids)``, which takes a while.
    """
    steps: list[Step] = []
    way = data.draw(st.sampled_from(["ids", "both", "lag"]))
    text = prefixes[-1]
    place = said = 0
    while place < len(ids):
        end = min(len(ids), place + data.draw(st.integers(1, 8)))
        if way == "ids":
            steps.append((None, ids[place:end]))
        else:
            lag = data.draw(st.integers(0, 5)) if way == "lag" else 0
            reach = max(said, len(prefixes[end]) - lag)
            steps.append((text[said:reach], ids[place:end]))
            said = reach
        place = end
    if way == "lag":
        steps.append((text[said:], []))
    return steps


def assert_tokens_tile(message: Message, count: int) -> None:
    """The spans of tokens cover so many ids exactly, in order."""
    end = 0
    for span in message.token_spans:
        assert span.start == end, f"gap or overlap before {span!r}"
        assert span.end > span.start, f"empty span {span!r}"
        end = span.end
    assert end == count, f"token spans end at {end} of {count}"


def assert_account(message: Message, prefixes: list[str]) -> None:
    """The spans of tokens cover the ids, and each token belongs to the span that holds its first character."""
    assert_tokens_tile(message, len(prefixes) - 1)
    kind_at = [span.kind for span in message.spans for _ in range(span.end - span.start)]
    kinds = [span.kind for span in message.token_spans for _ in range(span.end - span.start)]
    assert kinds == [kind_at[len(before)] for before in prefixes[:-1]]
    assert message.reasoning_tokens == sum(message.token_mask("reasoning")) == kinds.count("reasoning")
