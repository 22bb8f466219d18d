"""PLaMo 3: a section of calls, each a name and a JSON object; nearly every marker is spelled with ordinary tokens."""

from ..format import Call, Format, Json, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="plamo3",
    turns=Turns("<|plamo:tag|>assistant<|plamo:msg|>", others=("<|plamo:tag|>",), ends=("<|plamo:tag|>",)),
    reasoning=Reasoning(
        "<|plamo:begin_think:plamo|>",
        "<|plamo:end_think:plamo|>",
        opened_by="prompt",
        toggle=("enable_thinking",),
    ),
    tools=Tools(
        Call(
            (
                "<|plamo:begin_tool_request:plamo|>"
                "<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
                "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>",
                "<|plamo:begin_tool_request:plamo|>"
                "<|plamo:begin_tool_name:plamo|>{name}<|plamo:end_tool_name:plamo|>"
                "<|plamo:begin_tool_arguments:plamo|><|plamo:msg|>",
            ),
            "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>",
            Json(),
        ),
        open="<|plamo:begin_tool_requests:plamo|>",
        close="<|plamo:end_tool_requests:plamo|>",
    ),
    special=("<|plamo:tag|>", "<|plamo:msg|>", "<|plamo:constrain|>"),
    signs=(
        Signs(template=("<|plamo:",)),
        Signs(models=("*plamo-3*", "plamo3", "Plamo3ForCausalLM")),
    ),
    source="Parser of vLLM 0.32 (plamo3); public notes on the chat template of pfnet/plamo-3-nict (turns).",
    example="A train to Graz for two.<|plamo:end_think:plamo|>"
    "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
    "<|plamo:begin_tool_name:plamo|>find_trains<|plamo:end_tool_name:plamo|>"
    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
    '{"to": "Graz", "seats": 2}'
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
)
