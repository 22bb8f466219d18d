"""Nemotron 3 and 3.5: calls as Qwen3-Coder's, a line end after each; the prompt opens thinking, or closes it at once.

Nano and Super write a line end before the closer, Ultra and 3.5 write none. Where thinking is off and the model thinks
all the same, without an answer, what it wrote is the answer.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="nemotron_v3",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning(
        "<think>\n",
        "\n</think>\n",
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
    aliases=("nemotron_3", "nemotron_3_nano", "nemotron_3.5", "nemotron_3.5_nano", "nemotron_3_ultra"),
    signs=(
        Signs(template=("<|im_start|>", "<tool_call>", "<function=", "<parameter=", "truncate_history_thinking")),
        Signs(
            models=("*nemotron-3-nano*", "*nemotron-3-super*", "*nemotron-3-ultra*", "*nemotron-3.5-*"),
        ),
    ),
    source="Chat templates of nvidia/NVIDIA-Nemotron-3-Nano, Super and Ultra; parsers of vLLM 0.32 (nemotron_v3), "
    "SGLang 0.5.22 (nemotron_3) and Ollama (nemotron-3-nano).",
    example="A train to Graz for two.\n</think>\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
)
