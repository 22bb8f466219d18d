"""Step3: a section of calls, each attribute XML behind a type word; the prompt always opens thinking."""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="step3",
    turns=Turns("<|BOT|>assistant\n", others=("<|BOT|>",), ends=("<|EOT|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", opened_by="prompt"),
    tools=Tools(
        Call(
            '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">\n',
            "</steptml:invoke><｜tool_call_end｜>\n",
            Params('\n<steptml:parameter name="{key}">', "</steptml:parameter>\n"),
        ),
        open="<｜tool_calls_begin｜>\n",
        close="<｜tool_calls_end｜>",
    ),
    special=(
        "<|BOT|>",
        "<|EOT|>",
        "<｜tool_calls_begin｜>",
        "<｜tool_calls_end｜>",
        "<｜tool_call_begin｜>",
        "<｜tool_call_end｜>",
        "<｜tool_sep｜>",
    ),
    signs=(
        Signs(template=("<steptml:invoke",)),
        Signs(models=("stepfun-ai/step3*", "step3", "Step3VLForConditionalGeneration")),
    ),
    source="Parsers of vLLM 0.32 and SGLang 0.5.22 (step3); vLLM's example prompt for stepfun-ai/step3 (turns).",
    example="A train to Graz for two.\n</think>\n\n"
    '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="find_trains">\n'
    '<steptml:parameter name="to">Graz</steptml:parameter>\n'
    '<steptml:parameter name="seats">2</steptml:parameter>\n'
    "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
)
