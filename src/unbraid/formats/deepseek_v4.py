"""DeepSeek V4: elements with attributes behind a token of their own; ``string`` says what a value is.

The prompt opens thinking, or closes it at once. In V4's answers the section's opener is sometimes misspelled.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

_PARAMETERS = Params(
    ('\n<｜DSML｜parameter name="{key}" string="{type}">', '\n<｜DSML｜parameter name="{key}">'),
    "</｜DSML｜parameter>\n",
    untyped="json",
    types=(("true", "string"), ("false", "json")),
)

FORMAT = Format(
    name="deepseek_v4",
    turns=Turns(
        "<｜Assistant｜>",
        others=("<｜User｜>", "<｜begin▁of▁sentence｜>", "<｜latest_reminder｜>"),
        ends=("<｜end▁of▁sentence｜>",),
    ),
    reasoning=Reasoning(
        "<think>",
        "</think>",
        opened_by="prompt",
        default=False,
        toggle=("thinking", "enable_thinking", "reasoning_effort"),
    ),
    tools=Tools(
        (
            Call('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>\n", _PARAMETERS),
            # A call without arguments, as an empty element.
            Call('<｜DSML｜invoke name="{name}"/', ">\n", _PARAMETERS),
        ),
        open=("\n\n<｜DSML｜tool_calls>\n", "\n\n<｜DSML｜toolcalls>\n", "\n\n<｜DSML｜tool>\n"),
        close="</｜DSML｜tool_calls>",
        optional=True,
    ),
    special=(
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "<｜latest_reminder｜>",
        "｜DSML｜",
        "<think>",
        "</think>",
    ),
    aliases=("deepseekv4",),
    signs=(
        Signs(template=("<｜Assistant｜>", "｜DSML｜", "tool_calls>")),
        Signs(models=("*deepseek-v4*",)),
    ),
    source="Chat templates and encoder of deepseek-ai/DeepSeek-V4; parsers of vLLM 0.32 and SGLang 0.5.22 "
    "(deepseek_v4) for the variants that models write.",
    example="A train to Graz for two.</think>\n\n"
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="find_trains">\n'
    '<｜DSML｜parameter name="to" string="true">Graz</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="seats" string="false">2</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
)
