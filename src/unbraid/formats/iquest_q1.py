"""IQuest Q1: key/value pairs, values raw, in a marker of its own; the prompt opens thinking or closes it at once."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="iquest_q1",
    turns=Turns(
        "<|iquest_assistant|>",
        others=("<|iquest_user|>", "<|iquest_system|>", "<|iquest_developer|>"),
        ends=("<|iquest_end|>",),
    ),
    reasoning=Reasoning("<think>", "</think>", opened_by="prompt", toggle=("enable_thinking", "thinking")),
    tools=Tools(
        Call(
            "<iquest_tool_call>{name}",
            "</iquest_tool_call>",
            Params("<arg_key>{key}</arg_key><arg_value>", "</arg_value>", unclosed=False),
        )
    ),
    special=("<|iquest_assistant|>", "<|iquest_end|>", "<think>", "</think>"),
    signs=(
        Signs(template=("<|iquest_assistant|>",)),
        Signs(vocabulary=("<|iquest_assistant|>",)),
        Signs(models=("*iquest-q1*",)),
    ),
    source="Parser of SGLang 0.5.22 (iquest_q1); prompts that public engines render from the model's template.",
    example="A train to Graz for two.</think>"
    "<iquest_tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></iquest_tool_call>",
)
