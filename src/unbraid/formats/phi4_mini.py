"""Phi-4-mini: all calls in one JSON array behind a word of plain text; no reasoning.

The chat templates show earlier calls without that word, and models write what they see: an answer that is nothing but
calls of offered tools is read, too.
"""

from ..format import Call, Format, JsonCall, Signs, Tools, Turns

FORMAT = Format(
    name="phi4_mini",
    turns=Turns("<|assistant|>", others=("<|user|>", "<|system|>", "<|tool|>"), ends=("<|end|>", "<|endoftext|>")),
    tools=Tools((Call("functools", None, JsonCall(array="always")), Call(None, None, JsonCall(), separator=", "))),
    special=("<|assistant|>", "<|user|>", "<|system|>", "<|tool|>", "<|end|>", "<|endoftext|>"),
    aliases=("phi4_mini_json",),
    signs=(Signs(template=("functools[", "<|end|>", "<|assistant|>")), Signs(models=("*phi-4-mini-instruct*",))),
    source="Chat templates for microsoft/Phi-4-mini-instruct; parser of vLLM 0.32 (phi4_mini_json).",
    example='functools[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]',
)
