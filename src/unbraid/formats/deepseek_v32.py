"""DeepSeek V3.2: elements with attributes behind a token of their own; ``string`` says what a value is.

After the results of tools the prompt goes on in the same turn, without the assistant's marker.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

_PARAMETERS = Params(
    ('\n<｜DSML｜parameter name="{key}" string="{type}">', '\n<｜DSML｜parameter name="{key}">'),
    "</｜DSML｜parameter>\n",
    untyped="json",
    types=(("true", "string"), ("false", "json")),
)

FORMAT = Format(
    name="deepseek_v32",
    turns=Turns(
        ("<｜Assistant｜>", "</function_results>\n\n"),
        others=("<｜User｜>", "<function_results>", "<｜begin▁of▁sentence｜>"),
        ends=("<｜end▁of▁sentence｜>",),
    ),
    reasoning=Reasoning(
        "<think>", "</think>", opened_by="prompt", default=False, toggle=("thinking", "enable_thinking")
    ),
    tools=Tools(
        (
            Call('<｜DSML｜invoke name="{name}">\n', "</｜DSML｜invoke>\n", _PARAMETERS),
            # A call without arguments, as an empty element.
            Call('<｜DSML｜invoke name="{name}"/', ">\n", _PARAMETERS),
        ),
        open="\n\n<｜DSML｜function_calls>\n",
        close="</｜DSML｜function_calls>",
        optional=True,
    ),
    special=(
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "｜DSML｜",
        "<think>",
        "</think>",
    ),
    aliases=("deepseekv32",),
    signs=(
        Signs(template=("<｜Assistant｜>", "｜DSML｜", "function_calls>")),
        Signs(models=("*deepseek-v3.2*",)),
    ),
    source="Encoder of deepseek-ai/DeepSeek-V3.2 and a chat template made after it; parsers of vLLM 0.32 and SGLang "
    "0.5.22 (deepseek_v32) for the variants that models write.",
    example="A train to Graz for two.</think>\n\n"
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="find_trains">\n'
    '<｜DSML｜parameter name="to" string="true">Graz</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="seats" string="false">2</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
)
