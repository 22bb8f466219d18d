"""K2 Horizon (K2-V3): a pair of thinking tags for each effort, and calls in three notations inside one frame.

Key/value pairs, the same with types, or JSON; the request chooses, and each call shows which it is. The model doesn't
always close its thinking with the tag of the pair that the prompt opened, so any of the three closes it.
"""

from ..format import Call, Format, JsonCall, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="k2_horizon",
    turns=Turns(
        "<|ifm|im_start|>assistant\n",
        others=("<|ifm|im_start|>",),
        ends=("<|ifm|im_end|>", "<|ifm|endoftext|>"),
    ),
    reasoning=Reasoning(
        ("<ifm|think>\n", "<ifm|think_fast>\n", "<ifm|think_faster>\n"),
        (
            "\n</ifm|think>\n",
            "\n</ifm|think>\n\n",
            "\n</ifm|think_fast>\n",
            "\n</ifm|think_fast>\n\n",
            "\n</ifm|think_faster>\n",
            "\n</ifm|think_faster>\n\n",
        ),
        opened_by="prompt",
        toggle=("enable_thinking",),
        promote="off",
    ),
    tools=Tools(
        (
            Call(
                "\n<ifm|tool_call>{name}\n",
                "</ifm|tool_call>\n",
                Params(
                    (
                        "\n<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_value>",
                        "\n<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_type>{type}</ifm|arg_type>\n<ifm|arg_value>",
                    ),
                    "</ifm|arg_value>\n",
                    # What a parameter is called whose schema names no type.
                    types=(("any", "schema"),),
                ),
            ),
            Call("\n<ifm|tool_call>", "</ifm|tool_call>\n", JsonCall()),
        ),
        open="\n<ifm|tool_calls>\n",
        close="</ifm|tool_calls>",
        optional=True,
    ),
    special=(
        "<|ifm|im_start|>",
        "<|ifm|im_end|>",
        "<|ifm|endoftext|>",
        "<ifm|think>",
        "</ifm|think>",
        "<ifm|think_fast>",
        "</ifm|think_fast>",
        "<ifm|think_faster>",
        "</ifm|think_faster>",
        "<ifm|tool_calls>",
        "</ifm|tool_calls>",
        "<ifm|tool_call>",
        "</ifm|tool_call>",
        "<ifm|arg_key>",
        "</ifm|arg_key>",
        "<ifm|arg_type>",
        "</ifm|arg_type>",
        "<ifm|arg_value>",
        "</ifm|arg_value>",
    ),
    aliases=("k2_v3",),
    signs=(
        Signs(template=("<ifm|think", "<ifm|tool_call")),
        Signs(models=("*k2-horizon*", "*k2-v3*")),
    ),
    source="Chat template of IFM's K2 Horizon; parsers of vLLM 0.32 (k2_horizon) and SGLang "
    "0.5.22 (k2_v3); reports on which tag models close their thinking with.",
    example="A train to Graz for two.\n</ifm|think>\n"
    "<ifm|tool_calls>\n<ifm|tool_call>find_trains\n"
    "<ifm|arg_key>to</ifm|arg_key>\n<ifm|arg_value>Graz</ifm|arg_value>\n"
    "<ifm|arg_key>seats</ifm|arg_key>\n<ifm|arg_value>2</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
)
