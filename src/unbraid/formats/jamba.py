"""Jamba 1.5 and 1.6: all calls in one JSON array between a pair of markers, one a line; no reasoning.

Models forget the opening marker now and then: an answer that is an array of calls of offered tools is one.
"""

from ..format import Call, Format, JsonCall, Signs, Tools, Turns

_ARRAY = JsonCall(array="always")

FORMAT = Format(
    name="jamba",
    turns=Turns("<|bom|><|assistant|>", others=("<|bom|>",), ends=("<|eom|>",)),
    tools=Tools((Call("<tool_calls>", "</tool_calls>", _ARRAY), Call(None, "</tool_calls>", _ARRAY))),
    special=("<|bom|>", "<|eom|>", "<|assistant|>", "<tool_calls>", "</tool_calls>"),
    signs=(
        Signs(template=("<|bom|>", "<tool_calls>")),
        Signs(models=("*jamba-1.*", "*jamba-large*", "*jamba-mini*")),
    ),
    source="Chat template of ai21labs/Jamba; parser of vLLM 0.32 (jamba).",
    example='<tool_calls>[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]</tool_calls>',
)
