"""Granite 4.0 and 4.1: one JSON object with name and arguments per call, and no reasoning."""

from ..format import Call, Format, JsonCall, Signs, Tools, Turns

FORMAT = Format(
    name="granite4",
    turns=Turns("<|start_of_role|>assistant<|end_of_role|>", others=("<|start_of_role|>",), ends=("<|end_of_text|>",)),
    tools=Tools(Call("\n<tool_call>\n", "\n</tool_call>", JsonCall())),
    special=("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    signs=(
        Signs(template=("<|start_of_role|>", "<tool_call>", '"name"', '"arguments"')),
        Signs(models=("*granite-4.0-*", "*granite-4.1-*")),
    ),
    source="Chat template of ibm-granite/granite-4.0; parser of vLLM 0.32 (granite4).",
    example='<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
)
