"""Hunyuan A13B: a JSON array of calls; an answer stands between tags, or begins with the word for "assistant".

The model writes everything itself, the opener of thinking too. Calls stand inside the answer's tags or without them.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="hunyuan_a13b",
    turns=Turns("<|extra_0|>", others=("<|extra_4|>", "<|startoftext|>"), ends=("<|eos|>",)),
    # An answer's opener ends reasoning, in which the word for "assistant" may well stand: it is no opener of its own.
    reasoning=Reasoning("<think>\n", ("\n</think>\n", "\n</think>\n助手："), toggle=("enable_thinking",)),
    answer=Answer(("<answer>\n", "<answer>\n助手："), "\n</answer>"),
    tools=Tools(
        Call(
            "<tool_calls>",
            ("</tool_calls>", "</tool_calls>\n</answer>"),
            JsonCall(array="always"),
        )
    ),
    special=("<|extra_0|>", "<|extra_4|>", "<|startoftext|>", "<|eos|>"),
    signs=(
        Signs(template=("<|extra_0|>", "<tool_calls>[")),
        Signs(models=("*hunyuan-a13b*", "hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM")),
    ),
    source="Chat template of tencent/Hunyuan-A13B-Instruct; parsers of vLLM 0.32 (hunyuan_a13b) for the answer's tags "
    "and for what models write before them.",
    example="<think>\nA train to Graz for two.\n</think>\n"
    '<tool_calls>[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]</tool_calls>',
)
