"""Qwen3-Coder, Qwen3.5 and later: XML-like calls with one element per parameter, values raw.

Qwen3-Coder does not think and Qwen3.5 does, with an opener in the prompt, under one syntax: whether the output
starts inside reasoning is the prompt's to say.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="qwen3_coder",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call("\n\n<function={name}>\n", "</function>\n", Params("<parameter={key}>\n", "\n</parameter>\n")),
        open=("\n\n<tool_call>\n", "\n<tool_call>\n"),
        close="</tool_call>",
        section="per_call",
        optional=True,
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
    aliases=("qwen3_xml", "nanbeige", "prime_qwen3", "qwen3.5", "qwen3.6", "qwen3.8", "ornith"),
    signs=(
        Signs(template=("<|im_start|>", "<tool_call>", "<function=", "<parameter=")),
        Signs(
            models=(
                "*qwen3-coder*",
                "*qwen3.5*",
                "*qwen3.6*",
                "*qwen3.8*",
                "qwen3_5",
                "qwen3_5_moe",
                "Qwen3_5ForConditionalGeneration",
                "Qwen3_5MoeForConditionalGeneration",
            )
        ),
    ),
    source="Chat templates of Qwen/Qwen3-Coder-30B-A3B and Qwen3.8-27B; parsers of vLLM 0.32 (qwen3_coder) and "
    "SGLang 0.5.22 for the variants that models write.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
)
