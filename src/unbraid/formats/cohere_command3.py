"""Cohere Command A, Command A Reasoning and Command R7B: thinking, an answer or actions, each between two tokens.

Newer prompts begin the thinking, or end it at once; the older ones leave both to the model. All actions stand in one
JSON array, with ids that count on through the conversation. Citations in an answer (``<co>``) stay in it.
"""

from ..format import Answer, Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="cohere_command3",
    turns=Turns(
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        others=("<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>"),
        ends=("<|END_OF_TURN_TOKEN|>",),
    ),
    reasoning=Reasoning(
        "<|START_THINKING|>",
        "<|END_THINKING|>",
        opened_by="prompt",
        toggle=("reasoning", "enable_thinking"),
        reopens=True,
    ),
    answer=Answer(("<|START_RESPONSE|>", "<|START_TEXT|>"), ("<|END_RESPONSE|>", "<|END_TEXT|>"), anywhere=True),
    tools=Tools(
        Call(
            "<|START_ACTION|>",
            "<|END_ACTION|>",
            JsonCall(
                name=("tool_name", "name"),
                arguments=("parameters", "arguments"),
                id=("tool_call_id",),
            ),
        )
    ),
    special=(
        "<|START_OF_TURN_TOKEN|>",
        "<|END_OF_TURN_TOKEN|>",
        "<|CHATBOT_TOKEN|>",
        "<|START_THINKING|>",
        "<|END_THINKING|>",
        "<|START_RESPONSE|>",
        "<|END_RESPONSE|>",
        "<|START_ACTION|>",
        "<|END_ACTION|>",
    ),
    aliases=("cohere",),
    signs=(
        Signs(template=("<|CHATBOT_TOKEN|>", "<|START_ACTION|>", "<|START_RESPONSE|>")),
        Signs(models=("*command-a-03-2025*", "*command-a-reasoning*", "*command-r7b*")),
    ),
    source="Chat templates of CohereLabs/c4ai-command-a-03-2025 and c4ai-command-r7b-12-2024; parsers of vLLM 0.32 "
    "(cohere_command3) and Ollama (cohere) for the variants that models write.",
    example="A train to Graz for two.<|END_THINKING|><|START_ACTION|>[\n"
    '    {"tool_call_id": "0", "tool_name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}\n'
    "]<|END_ACTION|>",
)
