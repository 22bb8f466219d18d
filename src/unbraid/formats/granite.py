"""Granite 3.0 to 3.3: all calls in one JSON array behind a marker that nothing closes.

3.2 thinks between two phrases of plain words, 3.3 between tags and with tags around its answer. Where a tokenizer drops
the marker of calls, the array at the start of the answer counts, if its tools were offered.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="granite",
    turns=Turns("<|start_of_role|>assistant<|end_of_role|>", others=("<|start_of_role|>",), ends=("<|end_of_text|>",)),
    reasoning=Reasoning(
        ("Here is my thought process:\n\n", "Here's my thought process:\n\n", "<think>\n"),
        ("\n\nHere is my response:\n\n", "\n\nHere's my response:\n\n", "\n</think>\n"),
        default=False,
        toggle=("thinking",),
    ),
    answer=Answer("<response>\n", "\n</response>"),
    tools=Tools(
        (
            Call(("<|tool_call|> ", "<tool_call>"), None, JsonCall()),
            Call(None, None, JsonCall(array="always")),
        )
    ),
    special=("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>", "<|tool_call|>"),
    signs=(
        Signs(template=("<|start_of_role|>", "<|tool_call|>")),
        Signs(models=("*granite-3.*",)),
    ),
    source="Chat templates of ibm-granite/granite-3.1, 3.2-2b-instruct and 3.3-2b-instruct; parser of vLLM 0.32 "
    "(granite).",
    example="Here is my thought process:\n\nA train to Graz for two.\n\nHere is my response:\n\n"
    '<|tool_call|>[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]',
)
