"""Kimi K2, K2-Thinking, K2.5 and K2.6: a section of calls with ids on the wire, arguments as a JSON object.

K2-Instruct doesn't think and K2.5 does by default, under one syntax; without a prompt and without the request's
word, thinking is taken to be off.
"""

from ..format import Call, Format, Json, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="kimi_k2",
    turns=Turns(
        "<|im_assistant|>assistant<|im_middle|>",
        others=("<|im_user|>", "<|im_system|>", "<|im_assistant|>"),
        ends=("<|im_end|>", "[EOS]"),
    ),
    reasoning=Reasoning(
        "<think>", "</think>", opened_by="prompt", default=False, toggle=("thinking", "enable_thinking")
    ),
    tools=Tools(
        Call(
            "<|tool_call_begin|>{id}<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
            Json(),
            id=("functions.{name}:{index}", "{name}:{index}", "functions.{name}", "{name}"),
        ),
        open=("<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"),
        close=("<|tool_calls_section_end|>", "<|tool_call_section_end|>"),
        optional=True,
        between="noise",
    ),
    special=(
        "<|im_user|>",
        "<|im_assistant|>",
        "<|im_system|>",
        "<|im_middle|>",
        "<|im_end|>",
        "[EOS]",
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_end|>",
        "<|tool_call_argument_begin|>",
    ),
    aliases=("kimi_k2.5",),
    signs=(
        Signs(template=("<|im_assistant|>", "<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>")),
        Signs(vocabulary=("<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>")),
        Signs(models=("*kimi-k2*", "kimi_k2", "kimi_k25", "KimiK25ForConditionalGeneration")),
    ),
    source="Chat templates of moonshotai/Kimi-K2-Instruct, Kimi-K2-Thinking and Kimi-K2.5; parsers of vLLM 0.32 and "
    "SGLang 0.5.22 (kimi_k2) for the variants that models write.",
    example="A train to Graz for two.</think>"
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.find_trains:0<|tool_call_argument_begin|>"
    '{"to": "Graz", "seats": 2}<|tool_call_end|><|tool_calls_section_end|>',
)
