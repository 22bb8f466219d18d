"""Gemma 4: calls in a notation of its own, with bare keys and strings between ``<|"|>``; reasoning is a channel.

The token that opens the channel may be missing: then a first line that is nothing but the channel's name opens it.
After a tool's result the turn goes on without a header, in some prompts in a channel that the prompt opened.
"""

from ..format import Call, Format, Gemma, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="gemma4",
    turns=Turns(
        ("<|turn>model\n", "<tool_response|>"),
        others=("<|turn>", "<|tool_response>"),
        ends=("<turn|>", "<|tool_response>", "<eos>"),
    ),
    reasoning=Reasoning(
        ("<|channel>thought\n", "thought{line}"), "\n<channel|>", default=False, toggle=("enable_thinking",)
    ),
    tools=Tools(Call("<|tool_call>call:{name}", "<tool_call|>", Gemma('<|"|>'))),
    special=(
        "<|turn>",
        "<turn|>",
        "<|channel>",
        "<channel|>",
        "<|tool_call>",
        "<tool_call|>",
        '<|"|>',
        "<|tool_response>",
    ),
    aliases=("gemma4_no_thinking",),
    signs=(
        Signs(template=("<|turn>", "<|channel>", "<|tool_call>")),
        Signs(vocabulary=("<|turn>", "<|channel>", "<|tool_call>")),
        Signs(models=("*gemma-4-*", "gemma4", "Gemma4ForCausalLM", "Gemma4ForConditionalGeneration")),
    ),
    source="Chat template of google/gemma-4-31B-it; parsers of vLLM 0.32 and SGLang 0.5.22 (gemma4) and of Ollama "
    "(gemma4) for the variants that models write.",
    example="<|channel>thought\nA train to Graz for two.\n<channel|>"
    '<|tool_call>call:find_trains{to:<|"|>Graz<|"|>,seats:2}<tool_call|>',
)
