"""Trinity: calls as Qwen3's. They may stand inside thinking, which goes on after them."""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="trinity",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", calls="inside"),
    tools=Tools(Call(("\n<tool_call>\n", "\n\n<tool_call>\n"), "\n</tool_call>", JsonCall())),
    special=("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    signs=(
        Signs(
            template=("<|im_start|>", "<tool_call>", '"name"', '"arguments"'),
            absent=("<function=", "<use_mcp_tool>"),
            models=("*trinity-mini*", "*trinity-nano*", "*trinity-large*", "afmoe", "AfmoeForCausalLM"),
        ),
        Signs(models=("*trinity-mini*", "*trinity-nano*", "*trinity-large*", "afmoe", "AfmoeForCausalLM")),
    ),
    source="Parser of SGLang 0.5.22 (trinity) for arcee-ai/Trinity. It drops the tags of thinking and keeps the text "
    "as content; here it stays reasoning.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
)
