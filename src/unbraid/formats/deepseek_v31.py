"""DeepSeek V3.1 and V3.1-Terminus: a section of calls, each a name, a separator and a JSON object."""

from ..format import Call, Format, Json, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="deepseek_v31",
    turns=Turns(
        "<｜Assistant｜>",
        others=("<｜User｜>", "<｜tool▁outputs▁begin｜>", "<｜begin▁of▁sentence｜>"),
        ends=("<｜end▁of▁sentence｜>",),
    ),
    reasoning=Reasoning(
        "<think>", "</think>", opened_by="prompt", default=False, toggle=("thinking", "enable_thinking")
    ),
    tools=Tools(
        Call("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>", "<｜tool▁call▁end｜>", Json()),
        open="<｜tool▁calls▁begin｜>",
        close="<｜tool▁calls▁end｜>",
        optional=True,
    ),
    special=(
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool▁sep｜>",
        "<think>",
        "</think>",
    ),
    aliases=("deepseekv31", "deepseek3"),
    signs=(
        Signs(template=("<｜Assistant｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>")),
        Signs(models=("*deepseek-v3.1*", "*deepseek-v3.2-exp*")),
    ),
    source="Chat template of deepseek-ai/DeepSeek-V3.1; parsers of vLLM 0.32 (deepseek_v31) and SGLang 0.5.22.",
    example="A train to Graz for two.</think>"
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_trains<｜tool▁sep｜>"
    '{"to": "Graz", "seats": 2}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
)
