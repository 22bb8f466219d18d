"""Laguna: key/value pairs, values raw. Both layouts (2.1's compact one, and XS.2's with line ends) are read.

The prompt ends in ``<think>`` or in ``</think>``; S-2.1 thinks unless told not to, the others only when asked to.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="poolside_v1",
    turns=Turns(
        ("<assistant>", "<assistant>\n"),
        others=("<user>", "<system>", "<tool_response>"),
        ends=("\n</assistant>", "〈|EOS|〉"),
    ),
    reasoning=Reasoning(
        ("<think>", "<think>\n"),
        ("</think>", "\n</think>\n"),
        opened_by="prompt",
        default=False,
        toggle=("enable_thinking",),
    ),
    tools=Tools(
        Call(
            ("<tool_call>{name}", "\n<tool_call>{name}\n"),
            ("</tool_call>", "</tool_call>\n"),
            Params(
                ("<arg_key>{key}</arg_key><arg_value>", "\n<arg_key>{key}</arg_key>\n<arg_value>"),
                "</arg_value>",
            ),
        )
    ),
    special=(
        "〈|EOS|〉",
        "<user>",
        "<system>",
        "<assistant>",
        "</assistant>",
        "<tool_response>",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
    ),
    aliases=("laguna",),
    signs=(
        Signs(template=("<assistant>", "</assistant>", "<tool_call>", "<arg_key>", "<arg_value>")),
        Signs(models=("*laguna-xs*", "*laguna-s*", "*laguna-m*")),
    ),
    source="Chat templates of poolside/Laguna-XS.2, Laguna-XS-2.1 and Laguna-S-2.1; parsers of vLLM 0.32 and "
    "SGLang 0.5.22 (poolside_v1) and of Ollama (laguna) for the variants that models write.",
    example="A train to Graz for two.</think>"
    "<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></tool_call>",
)
