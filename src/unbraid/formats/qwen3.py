"""Qwen3 and Hermes: one JSON object with name and arguments per call."""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="qwen3",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call(
            ("\n<tool_call>\n", "\n\n<tool_call>\n", " <tool_call>"),
            "\n</tool_call>",
            JsonCall(),
        )
    ),
    special=(
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
    ),
    aliases=(
        "qwen",
        "qwen25",
        "hermes",
        "qwen3_json",
        "qwen3_thinking",
        "qwen3_vl",
        "qwen3_vl_instruct",
        "qwen3_vl_thinking",
    ),
    signs=(
        Signs(
            template=("<|im_start|>", "<tool_call>", '"name"', '"arguments"'), absent=("<function=", "<use_mcp_tool>")
        ),
        Signs(template=("<|im_start|>", "<tool_call>", "{'arguments': <args-dict>"), absent=("<function=",)),
        Signs(
            template=("<|im_start|>assistant\n", "<think>", "enable_thinking"),
            absent=("<|im_sep|>", "tool_calls", "tool_call>", "<function"),
        ),
        Signs(models=("*qwen2.5-*", "*qwen3-*", "*qwq-*", "*hermes-2-pro*", "*hermes-3-*", "*hermes-4-*")),
    ),
    source="Chat templates of Qwen/Qwen3-8B, Qwen3-4B-Thinking-2507 and NousResearch/Hermes-2-Pro; "
    "parsers of vLLM 0.32 (hermes) and SGLang 0.5.22 (qwen25, hermes) for the variants that models write.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
)
