"""DeepSeek R1, V3 and V3-0324, and Cogito v2: a section of calls, arguments as JSON in a Markdown fence.

R1 always thinks, V3 never does and Cogito when it is asked to, under one syntax: whether the output starts inside
reasoning is the prompt's to say. Without a prompt and without the request's word, thinking is taken to be off.
"""

from ..format import Call, Format, Json, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="deepseek_v3",
    turns=Turns(
        "<｜Assistant｜>",
        others=("<｜User｜>", "<｜tool▁outputs▁begin｜>", "<｜begin▁of▁sentence｜>"),
        ends=("<｜end▁of▁sentence｜>",),
    ),
    reasoning=Reasoning(
        "<think>\n", "\n</think>\n\n", opened_by="prompt", default=False, toggle=("enable_thinking", "thinking")
    ),
    tools=Tools(
        Call(
            (
                "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
                "\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
            ),
            ("\n```<｜tool▁call▁end｜>", "\n```\n<｜tool▁call▁end｜>", "\n<｜tool▁call▁end｜>"),
            Json(),
        ),
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
    ),
    aliases=("deepseekv3", "deepseek_r1", "cogito"),
    signs=(
        Signs(template=("<｜Assistant｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>", "```json")),
        Signs(
            models=(
                "*deepseek-r1*",
                "*deepseek-r1-0528-qwen3-*",
                "*deepseek-v3*",
                "*deepcoder*",
                "*r1-1776*",
                "*cogito*671b*",
            )
        ),
    ),
    source="Chat templates of deepseek-ai/DeepSeek-R1 and DeepSeek-V3-0324; parsers of vLLM 0.32 (deepseek_v3, "
    "deepseek_r1), SGLang 0.5.22 (deepseekv3) and Ollama (cogito) for the variants that models write.",
    example="A train to Graz for two.\n</think>\n\n"
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_trains\n```json\n"
    '{"to": "Graz", "seats": 2}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
)
