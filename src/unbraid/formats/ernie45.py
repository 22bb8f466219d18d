"""ERNIE 4.5 Thinking and VL: one JSON object per call; the answer stands between tags of its own, or without them.

The prompt opens the thinking. A model that isn't told to use tools may leave out the answer's tags; both are read.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="ernie45",
    turns=Turns(
        ("<|im_start|>assistant\n", "Assistant: "),
        others=("<|im_start|>", "User: "),
        ends=("<|im_end|>", "<|end_of_sentence|>", "</s>"),
    ),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", opened_by="prompt", toggle=("enable_thinking",)),
    answer=Answer("<response>\n", "\n</response>\n"),
    tools=Tools(Call(("<tool_call>\n", "\n<tool_call>\n", "\n\n<tool_call>\n"), "\n</tool_call>", JsonCall())),
    special=("<think>", "</think>", "<response>", "</response>", "<tool_call>", "</tool_call>", "<|im_end|>"),
    signs=(
        Signs(template=("<|im_start|>", "<tool_call>", '"name"', '"arguments"', "<response>")),
        Signs(models=("*ernie-4.5*thinking*", "*ernie-4.5-vl*")),
    ),
    source="Parsers of vLLM 0.32 (ernie45, tools and reasoning); prompts of baidu/ERNIE-4.5-21B-A3B-Thinking as "
    "ms-swift writes them, and the chat template of baidu/ERNIE-4.5.",
    example="A train to Graz for two.\n</think>\n\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
)
