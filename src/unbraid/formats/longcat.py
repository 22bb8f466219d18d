"""LongCat: one JSON object with name and arguments per call, in markers of its own."""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="longcat",
    turns=Turns(("ASSISTANT:", "<longcat_assistant>"), others=("[Round ", "<longcat_user>"), ends=("</longcat_s>",)),
    reasoning=Reasoning(("<longcat_think>\n", "<think>\n"), ("\n</longcat_think>\n\n", "\n</think>\n\n")),
    tools=Tools(Call("\n<longcat_tool_call>\n", "\n</longcat_tool_call>", JsonCall())),
    special=("</longcat_s>", "<longcat_think>", "</longcat_think>", "<longcat_tool_call>", "</longcat_tool_call>"),
    signs=(
        Signs(template=("<longcat_tool_call>",)),
        Signs(models=("*longcat-flash*", "longcat_flash", "LongcatFlashForCausalLM")),
    ),
    source="Model card of meituan-longcat/LongCat-Flash-Chat; parsers of vLLM 0.32 (longcat).",
    example="<longcat_think>\nA train to Graz for two.\n</longcat_think>\n\n"
    '<longcat_tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</longcat_tool_call>',
)
