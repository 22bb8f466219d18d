"""GigaChat 3 and 3.1: one call a turn, a JSON object behind a token (3.1) or as a message of its own (3).

Nothing closes a call: its JSON ends itself. GigaChat 3 ends the assistant's message and goes on under the role
``function call``. These models don't reason.
"""

from ..format import Call, Format, JsonCall, Signs, Tools, Turns

FORMAT = Format(
    name="gigachat3",
    turns=Turns(
        "assistant<|role_sep|>\n",
        others=("user<|role_sep|>\n", "system<|role_sep|>\n", "function result<|role_sep|>\n"),
        ends=("<|message_sep|>\n\n", "</s>"),
    ),
    tools=Tools(
        Call(
            ("<|function_call|>", "<|message_sep|>\n\nfunction call<|role_sep|>\n", "function call<|role_sep|>\n"),
            None,
            JsonCall(array="never"),
        )
    ),
    special=("<|role_sep|>", "<|message_sep|>", "<|function_call|>", "</s>"),
    signs=(
        Signs(template=("<|role_sep|>", "<|message_sep|>", "function call")),
        Signs(template=("<|role_sep|>", "<|message_sep|>", "<|function_call|>")),
        Signs(models=("*gigachat3*", "*gigachat-3*")),
    ),
    source="Chat templates of ai-sage/GigaChat3-10B-A1.8B and GigaChat3.1-10B-A1.8B; parsers of vLLM 0.32 and "
    "SGLang 0.5.22 (gigachat3).",
    example='<|function_call|>{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}',
)
