"""Hy4 (Hunyuan 4): key/value pairs in one section, without line ends. Tags have a suffix that is the checkpoint's own.

The prompt opens thinking unless it is switched off.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="hy_v4",
    turns=Turns(
        "<｜hy_Assistant{suffix}｜>",
        others=("<｜hy_User{suffix}｜>", "<｜hy_begin_of_sentence{suffix}｜>", "<tool_responses{suffix}>"),
        ends=("<｜hy_eos{suffix}｜>",),
    ),
    reasoning=Reasoning("<think{suffix}>", "</think{suffix}>", opened_by="prompt", toggle=("reasoning_effort",)),
    tools=Tools(
        Call(
            "<tool_call{suffix}>{name}",
            "</tool_call{suffix}>",
            Params(
                "<arg_key{suffix}>{key}</arg_key{suffix}><arg_value{suffix}>",
                "</arg_value{suffix}>",
            ),
        ),
        open="<tool_calls{suffix}>",
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
        "<arg_key{suffix}>",
        "</arg_key{suffix}>",
        "<arg_value{suffix}>",
        "</arg_value{suffix}>",
        "<tool_responses{suffix}>",
    ),
    signs=(
        Signs(template=("<｜hy_Assistant", "<tool_calls", "<arg_key"), absent=("<tool_sep",)),
        Signs(models=("tencent/hy4*", "hy4-*", "hy_v4", "HYV4ForCausalLM")),
    ),
    source="Parsers of vLLM 0.32 (hy_v4) and SGLang 0.5.22 (hunyuan): layout, suffix and the default of thinking. Turn "
    "markers as in Hy3's chat template.",
    example="A train to Graz for two.</think:6124c78e>"
    "<tool_calls:6124c78e><tool_call:6124c78e>find_trains"
    "<arg_key:6124c78e>to</arg_key:6124c78e><arg_value:6124c78e>Graz</arg_value:6124c78e>"
    "<arg_key:6124c78e>seats</arg_key:6124c78e><arg_value:6124c78e>2</arg_value:6124c78e>"
    "</tool_call:6124c78e></tool_calls:6124c78e>",
)
