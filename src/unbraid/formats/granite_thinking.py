"""Granite 4.2, which thinks: calls and prompts as Nemotron 3's. An output of nothing but thinking is the answer when
thinking was switched off.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="granite_thinking",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning(
        "<think>\n",
        "\n</think>\n\n",
        opened_by="prompt",
        toggle=("enable_thinking",),
        promote="off",
    ),
    tools=Tools(
        Call(
            "<function={name}>\n",
            "</function>\n",
            Params("<parameter={key}>\n", "\n</parameter>\n", scalars="python"),
        ),
        open=("<tool_call>\n", "\n<tool_call>\n"),
        close="</tool_call>\n",
        section="per_call",
        optional=True,
    ),
    special=("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    aliases=("granite_thinking_parser",),
    signs=(
        Signs(
            template=(
                "<|im_start|>",
                "<tool_call>",
                "<function=",
                "<parameter=",
                "truncate_history_thinking",
                "defer_loading",
            )
        ),
        Signs(models=("*granite-4.2*",)),
    ),
    source="Parsers of vLLM 0.32 and SGLang 0.5.22 (granite_thinking_parser).",
    example="A train to Graz for two.\n</think>\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
)
