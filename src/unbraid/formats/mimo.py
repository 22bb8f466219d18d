"""MiMo: XML-like calls as Qwen3-Coder's, but values stand in their markers as they are, without line ends around them.

Engines disagree on whether MiMo thinks when nobody says so; the template's default is that it doesn't.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="mimo",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", default=False, toggle=("enable_thinking",)),
    tools=Tools(
        Call("<function={name}>\n", "</function>\n", Params("\n<parameter={key}>", "</parameter>\n")),
        open="\n<tool_call>\n",
        close="</tool_call>",
        section="per_call",
        optional=True,
    ),
    special=(
        "<|im_start|>",
        "<|im_end|>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
    ),
    signs=(
        Signs(template=("<|im_start|>", "<tool_call>", "<function=", "<parameter=", "You are MiMo")),
        Signs(models=("*mimo-v2*", "mimo_v2_flash", "MiMoV2FlashForCausalLM", "MiMoV2ForCausalLM")),
    ),
    source="Chat template of XiaomiMiMo/MiMo-VL (turns); parsers of vLLM 0.32 (mimo) and SGLang 0.5.22 (mimo).",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>Graz</parameter>\n"
    "<parameter=seats>2</parameter>\n</function>\n</tool_call>",
)
