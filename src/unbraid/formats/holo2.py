"""Holo2: the prompt opens thinking unless it is switched off; calls, where there are any, as Qwen3's."""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="holo2",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", opened_by="prompt", toggle=("thinking", "enable_thinking")),
    tools=Tools(Call(("\n<tool_call>\n", "\n\n<tool_call>\n"), "\n</tool_call>", JsonCall())),
    special=("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    signs=(
        Signs(
            template=("<|im_start|>", "<tool_call>", '"name"', '"arguments"'),
            absent=("<function=",),
            models=("*holo2*",),
        ),
        Signs(models=("*holo2*",)),
    ),
    source="Parser of vLLM 0.32 (holo2) for Hcompany/Holo2.",
    example="A train to Graz for two.\n</think>\n\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
)
