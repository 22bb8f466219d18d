"""Inkling: every part is a block with a token that says of what kind it is, and all blocks end in the same way.

What stands between a block's first token and its kind (a function's name, before a call) is metadata and isn't read: a
call names itself. The prompt ends in the first block's first token. Blocks may come in any order.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="inkling",
    turns=Turns(
        "<|message_model|>",
        others=("<|message_user|>", "<|message_system|>", "<|message_tool|>"),
        ends=("<|content_model_end_sampling|>", "<|end_message|>", "<|endoftext|>"),
        headed=True,
    ),
    reasoning=Reasoning(
        ("{?<|message_model|>}<|content_thinking|>", "<|message_model|>{recipient}<|content_thinking|>"),
        "<|end_message|>",
        toggle=("reasoning_effort",),
        reopens=True,
    ),
    answer=Answer(
        (
            "{?<|message_model|>}<|content_text|>",
            "<|message_model|>{recipient}<|content_text|>",
            "{?<|message_model|>{?{recipient}}}<|content_tool_error|>",
            "{?<|message_model|>{?{recipient}}}<|content_invoke_tool_text|>",
        ),
        "<|end_message|>",
        anywhere=True,
    ),
    tools=Tools(
        Call(
            (
                "<|message_model|>{recipient}<|content_invoke_tool_json|>",
                "{?<|message_model|>}<|content_invoke_tool_json|>",
            ),
            "<|end_message|>",
            JsonCall(arguments=("args", "arguments", "parameters"), array="never"),
        )
    ),
    special=(
        "<|message_model|>",
        "<|message_user|>",
        "<|message_system|>",
        "<|message_tool|>",
        "<|content_thinking|>",
        "<|content_text|>",
        "<|content_invoke_tool_json|>",
        "<|content_invoke_tool_text|>",
        "<|content_tool_error|>",
        "<|content_model_end_sampling|>",
        "<|end_message|>",
    ),
    signs=(
        Signs(template=("<|message_model|>", "<|content_text|>")),
        Signs(vocabulary=("<|message_model|>", "<|content_text|>")),
        Signs(models=("*inkling*",)),
    ),
    source="Parsers of vLLM 0.32 (inkling) and SGLang 0.5.22 (inkling), and the tokens of their renderers.",
    example="<|content_thinking|>A train to Graz for two.<|end_message|>"
    "<|message_model|>find_trains<|content_invoke_tool_json|>"
    '{"name":"find_trains","args":{"to": "Graz", "seats": 2}}<|end_message|><|content_model_end_sampling|>',
)
