"""Mistral in all its generations: calls as a JSON array, or each as a name and a JSON object, behind one marker.

Nothing closes a call: its JSON ends itself. Reasoning models write ``[THINK]``, the first Magistral a tag.
"""

from ..format import Call, Format, Json, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="mistral",
    turns=Turns(
        ("[/INST]", "[/TOOL_RESULTS]"), others=("[INST]", "[TOOL_RESULTS]", "[/SYSTEM_PROMPT]"), ends=("</s>",)
    ),
    reasoning=Reasoning(("[THINK]", "<think>\n"), ("[/THINK]", "\n</think>\n"), toggle=("reasoning_effort",)),
    tools=Tools(
        (
            Call("[TOOL_CALLS]{name}{?[CALL_ID]{id}}{?[ARGS]}", None, Json()),
            Call("[TOOL_CALLS] ", None, JsonCall(id=("id",))),
        )
    ),
    special=("[INST]", "[/INST]", "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "</s>"),
    aliases=("ministral", "magistral", "devstral"),
    signs=(
        Signs(template=("[INST]", "[TOOL_CALLS]")),
        Signs(template=("[INST]", "[THINK]")),
        Signs(vocabulary=("[INST]", "[TOOL_CALLS]")),
        Signs(
            models=(
                "*mistral-7b-instruct-v0.3*",
                "*mistral-nemo-instruct*",
                "*mistral-small-*",
                "*mistral-medium-*",
                "*mistral-large-*",
                "*devstral*",
                "*magistral*",
                "*ministral-3-*",
            )
        ),
    ),
    source="Chat templates and mistral-common's tokenizers v3 to v13; parsers of vLLM 0.32 and SGLang 0.5.22 (mistral) "
    "and Ollama (ministral) for the variants that models write.",
    example='[THINK]A train to Graz for two.[/THINK][TOOL_CALLS]find_trains[ARGS]{"to": "Graz", "seats": 2}',
)
