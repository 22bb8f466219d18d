"""Apertus: calls in one array of objects with a single key, which is the name. They may stand inside thinking."""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="apertus",
    turns=Turns(
        "<|assistant_start|>",
        others=("<|user_start|>", "<|system_start|>", "<|developer_start|>"),
        ends=("<|assistant_end|>",),
    ),
    reasoning=Reasoning("<|inner_prefix|>", "<|inner_suffix|>", reopens=True, calls="inside"),
    tools=Tools(Call("<|tools_prefix|>", "<|tools_suffix|>", JsonCall(array="always", keyed=True))),
    special=(
        "<|assistant_start|>",
        "<|assistant_end|>",
        "<|user_start|>",
        "<|system_start|>",
        "<|developer_start|>",
        "<|inner_prefix|>",
        "<|inner_suffix|>",
        "<|tools_prefix|>",
        "<|tools_suffix|>",
    ),
    aliases=("apertus2509",),
    signs=(
        Signs(template=("<|inner_prefix|>", "<|tools_prefix|>")),
        Signs(vocabulary=("<|inner_prefix|>", "<|tools_prefix|>")),
        Signs(models=("*apertus*", "apertus", "ApertusForCausalLM")),
    ),
    source="Chat template of swiss-ai/Apertus-8B-Instruct-2509; parsers of vLLM 0.32 (apertus) and SGLang 0.5.22 "
    "(apertus2509).",
    example="<|inner_prefix|>A train to Graz for two.<|inner_suffix|>"
    '<|tools_prefix|>[{"find_trains": {"to": "Graz", "seats": 2}}]<|tools_suffix|>',
)
