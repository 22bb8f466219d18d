"""DeepSeek V4.1: V4's elements with a space behind their token, in a section called ``calls``."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

_PARAMETERS = Params(
    ('\n<｜DSML｜ parameter name="{key}" string="{type}">', '\n<｜DSML｜ parameter name="{key}">'),
    "</｜DSML｜ parameter>\n",
    untyped="json",
    types=(("true", "string"), ("false", "json")),
)

FORMAT = Format(
    name="deepseek_v41",
    turns=Turns(
        "<｜Assistant｜>",
        others=("<｜User｜>", "<｜System｜>", "<｜begin▁of▁sentence｜>", "<｜latest_reminder｜>"),
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
            Call('<｜DSML｜ invoke name="{name}">\n', "</｜DSML｜ invoke>\n", _PARAMETERS),
            # A call without arguments, as an empty element.
            Call('<｜DSML｜ invoke name="{name}"/', ">\n", _PARAMETERS),
        ),
        open="\n\n<｜DSML｜ calls>\n",
        close="</｜DSML｜ calls>",
        optional=True,
    ),
    special=(
        "<｜User｜>",
        "<｜System｜>",
        "<｜Assistant｜>",
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "<｜latest_reminder｜>",
        "｜DSML｜",
        "<think>",
        "</think>",
    ),
    aliases=("deepseekv41",),
    signs=(
        Signs(template=("<｜Assistant｜>", "｜DSML｜", " calls>")),
        Signs(models=("*deepseek-v4.1*",)),
    ),
    source="Encoder of deepseek-ai/DeepSeek-V4.1 as SGLang 0.5.22 ships it; parsers of vLLM 0.32 and SGLang 0.5.22 "
    "(deepseek_v41).",
    example="A train to Graz for two.</think>\n\n"
    '<｜DSML｜ calls>\n<｜DSML｜ invoke name="find_trains">\n'
    '<｜DSML｜ parameter name="to" string="true">Graz</｜DSML｜ parameter>\n'
    '<｜DSML｜ parameter name="seats" string="false">2</｜DSML｜ parameter>\n'
    "</｜DSML｜ invoke>\n</｜DSML｜ calls>",
)
