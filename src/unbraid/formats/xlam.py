"""xLAM 2: all calls in one JSON array, bare or in one of several wrappers.

Without a wrapper only a message that begins with such an array is a call, and only if its tool was offered: nothing
else tells it from an answer that is JSON. In a Markdown fence any array of objects with names is calls, as vLLM has it.
"""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

_ARRAY = JsonCall(array="always", others=("type", "id"))

FORMAT = Format(
    name="xlam",
    turns=Turns(
        ("<|im_start|>assistant\n", "<|start_header_id|>assistant<|end_header_id|>\n\n"),
        others=("<|im_start|>", "<|start_header_id|>", "<|begin_of_text|>"),
        ends=("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>"),
    ),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", default=False),
    tools=Tools(
        (
            Call(None, None, _ARRAY),
            Call("\n<tool_call>\n", "\n</tool_call>", _ARRAY),
            Call(("\n```json\n", "\n```\n"), "\n```", _ARRAY),
            Call("\n[TOOL_CALLS]", None, _ARRAY),
        )
    ),
    special=("<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    signs=(
        Signs(template=("<|im_start|>", '[{"name": "tool_call_name"')),
        Signs(template=("<|start_header_id|>", '[{"name": "tool_call_name"')),
        Signs(models=("*xlam-*",)),
    ),
    source="Chat templates of Salesforce/Llama-xLAM-2-8b-fc-r and xLAM-2-3b-fc-r; parser of vLLM 0.32 (xlam) for the "
    "wrappers that models write.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]',
)
