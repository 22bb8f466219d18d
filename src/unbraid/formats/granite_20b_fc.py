"""Granite 20B function calling: a marker and a JSON object per call, which ends itself; no reasoning."""

from ..format import Call, Format, JsonCall, Signs, Tools, Turns

FORMAT = Format(
    name="granite_20b_fc",
    turns=Turns("ASSISTANT: ", others=("USER: ", "SYSTEM: ", "<function_response>"), ends=("<|endoftext|>",)),
    tools=Tools(Call(" <function_call> ", None, JsonCall())),
    special=("<function_call>", "<function_response>", "<|endoftext|>"),
    signs=(
        Signs(template=("<function_call>", "<|function_call_library|>")),
        Signs(models=("*granite-20b-functioncalling*",)),
    ),
    source="Chat template for ibm-granite/granite-20b-functioncalling; parser of vLLM 0.32 (granite-20b-fc).",
    example='<function_call> {"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}',
)
