"""Hy3 (Hunyuan 3): key/value pairs in one section. Tags have a suffix that is the checkpoint's own.

``<tool_call:opensource>`` in the released checkpoint, ``<tool_call>`` in the preview. Line ends are written, but not
needed. The prompt opens thinking or writes an empty block.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="hy_v3",
    turns=Turns(
        "<｜hy_Assistant{suffix}｜>",
        others=("<｜hy_User{suffix}｜>", "<｜hy_begin_of_sentence{suffix}｜>", "<tool_responses{suffix}>"),
        ends=("<｜hy_eos{suffix}｜>",),
    ),
    reasoning=Reasoning(
        "<think{suffix}>", "</think{suffix}>", opened_by="prompt", default=False, toggle=("reasoning_effort",)
    ),
    tools=Tools(
        Call(
            "<tool_call{suffix}>{name}<tool_sep{suffix}>\n",
            "</tool_call{suffix}>\n",
            Params(
                "<arg_key{suffix}>{key}</arg_key{suffix}>\n<arg_value{suffix}>",
                "</arg_value{suffix}>\n",
            ),
        ),
        open="<tool_calls{suffix}>\n",
        close="</tool_calls{suffix}>",
        optional=True,
    ),
    special=(
        "<｜hy_User{suffix}｜>",
        "<｜hy_Assistant{suffix}｜>",
        "<｜hy_begin_of_sentence{suffix}｜>",
        "<｜hy_eos{suffix}｜>",
        "<think{suffix}>",
        "</think{suffix}>",
        "<tool_calls{suffix}>",
        "</tool_calls{suffix}>",
        "<tool_call{suffix}>",
        "</tool_call{suffix}>",
        "<tool_sep{suffix}>",
        "<arg_key{suffix}>",
        "</arg_key{suffix}>",
        "<arg_value{suffix}>",
        "</arg_value{suffix}>",
        "<tool_responses{suffix}>",
    ),
    aliases=("hunyuan",),
    signs=(
        Signs(template=("<｜hy_Assistant", "<tool_calls", "<arg_key", "<tool_sep")),
        Signs(models=("tencent/hy3*", "hy3-*", "hy_v3", "HYV3ForCausalLM")),
    ),
    source="Chat template of tencent/Hy3-preview with its suffix; parsers of vLLM 0.32 (hy_v3) and SGLang 0.5.22 "
    "(hunyuan) for the variants that models write.",
    example="A train to Graz for two.</think:opensource>"
    "<tool_calls:opensource>\n<tool_call:opensource>find_trains<tool_sep:opensource>\n"
    "<arg_key:opensource>to</arg_key:opensource>\n<arg_value:opensource>Graz</arg_value:opensource>\n"
    "<arg_key:opensource>seats</arg_key:opensource>\n<arg_value:opensource>2</arg_value:opensource>\n"
    "</tool_call:opensource>\n</tool_calls:opensource>",
)
