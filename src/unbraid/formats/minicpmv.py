"""MiniCPM-V 4, which thinks when asked to: the words as Qwen3's, the calls as Qwen3-Coder's.

Reserved tokens leak into its text. They are taken for ends of a turn, which are markup wherever they stand.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="minicpmv",
    turns=Turns(
        "<|im_start|>assistant\n",
        others=("<|im_start|>",),
        ends=(
            "<|im_end|>",
            "<|endoftext|>",
            "<reserved_12>",
            "<reserved_13>",
            "<reserved_14>",
            "<reserved_15>",
            "<|reserved_12|>",
            "<|reserved_13|>",
            "<|reserved_14|>",
            "<|reserved_15|>",
        ),
    ),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call("\n\n<function={name}>\n", "</function>\n", Params("<parameter={key}>\n", "\n</parameter>\n")),
        open=("\n\n<tool_call>\n", "\n<tool_call>\n"),
        close="</tool_call>",
        section="per_call",
        optional=True,
    ),
    special=("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    signs=(
        Signs(
            template=("<|im_start|>", "<tool_call>", "<function=", "<parameter="),
            models=("*minicpm-v-4*", "*minicpm-v4*"),
        ),
        Signs(models=("*minicpm-v-4*", "*minicpm-v4*")),
    ),
    source="Parser of vLLM 0.32 (minicpmv) for openbmb/MiniCPM-V 4.x.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
)
