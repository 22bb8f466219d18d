"""Ling 3 and Ring 2.6: key/value pairs, values raw. Both layouts (one pair a line, and compact) are read."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="ling3",
    turns=Turns("<role>ASSISTANT</role>", others=("<role>",), ends=("<|role_end|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call(
            "\n<tool_call>{name}\n",
            "</tool_call>",
            Params("\n<arg_key>{key}</arg_key>\n<arg_value>", "</arg_value>\n"),
        )
    ),
    special=("<|role_end|>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
    signs=(
        Signs(template=("<role>", "<|role_end|>", "<tool_call>", "<arg_key>", "<arg_value>")),
        Signs(models=("*ling-3.0*", "*ring-2.6*", "BailingMoeV3ForCausalLM")),
    ),
    source="Parsers of vLLM 0.32 (ling3) and SGLang 0.5.22 (ling3).",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    "<tool_call>find_trains\n<arg_key>to</arg_key>\n<arg_value>Graz</arg_value>\n"
    "<arg_key>seats</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
)
