"""Cohere Command A+ and North: as ``cohere_command3``, with other tokens around the answer.

Models also write the older tokens, and leave out what ends the thinking before the next block; both are read.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="cohere_command4",
    turns=Turns(
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        others=("<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
        ends=("<|END_OF_TURN_TOKEN|>",),
    ),
    reasoning=Reasoning(
        "<|START_THINKING|>", "<|END_THINKING|>", opened_by="prompt", toggle=("reasoning",), reopens=True
    ),
    answer=Answer(("<|START_TEXT|>", "<|START_RESPONSE|>"), ("<|END_TEXT|>", "<|END_RESPONSE|>"), anywhere=True),
    tools=Tools(
        Call(
            "<|START_ACTION|>",
            "<|END_ACTION|>",
            JsonCall(name=("tool_name", "name"), arguments=("parameters", "arguments"), id=("tool_call_id",)),
        )
    ),
    special=(
        "<|START_OF_TURN_TOKEN|>",
        "<|END_OF_TURN_TOKEN|>",
        "<|CHATBOT_TOKEN|>",
        "<|START_THINKING|>",
        "<|END_THINKING|>",
        "<|START_TEXT|>",
        "<|END_TEXT|>",
        "<|START_ACTION|>",
        "<|END_ACTION|>",
    ),
    signs=(
        Signs(template=("<|CHATBOT_TOKEN|>", "<|START_ACTION|>", "<|START_TEXT|>")),
        Signs(models=("*command-a-plus*", "*north-mini*", "cohere2_moe", "Cohere2MoeForCausalLM")),
    ),
    source="Chat template of CohereLabs' North Mini (Cohere2 MoE); parsers of vLLM 0.32 (cohere_command4), SGLang "
    "0.5.22 (cohere_command4) and Ollama (cohere) for the variants that models write.",
    example="A train to Graz for two.<|END_THINKING|><|START_ACTION|>[\n"
    '    {"tool_call_id": "0", "tool_name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}\n'
    "]<|END_ACTION|>",
)
