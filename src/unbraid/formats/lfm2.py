"""LFM2 and LFM2.5: a Python list of calls between two tokens.

Where a model thinks, it opens thinking itself, or doesn't. Between the tokens models also write JSON: a call object, or
an array of them. Some servers show them earlier calls as ``[Calling tool: f({…})]``, which they then write, too.
"""

from ..format import Aside, Call, Format, Json, JsonCall, Python, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="lfm2",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning(("<think>", "<think>\n"), ("</think>", "\n</think>\n\n")),
    tools=(
        Tools(
            (
                Call("<|tool_call_start|>", "<|tool_call_end|>", Python()),
                Call("<|tool_call_start|>", "<|tool_call_end|>", JsonCall()),
            )
        ),
        Tools(Call("[Calling tool: {name}(", ")]", Json())),
    ),
    asides=(Aside("<|tool_response_start|>", "<|tool_response_end|>"),),
    special=(
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|tool_call_start|>",
        "<|tool_call_end|>",
        "<|tool_response_start|>",
        "<|tool_response_end|>",
    ),
    aliases=("lfm2_thinking",),
    signs=(
        Signs(template=("<|im_start|>", "<|tool_call_start|>"), absent=("<|thought_start|>",)),
        Signs(template=("<|im_start|>", "<|tool_list_start|>")),
        Signs(template=("<|im_start|>", "List of tools: [", "keep_past_thinking")),
        Signs(vocabulary=("<|tool_call_start|>", "<|tool_response_start|>")),
        Signs(models=("*lfm2*", "lfm2", "lfm2_moe", "Lfm2ForCausalLM", "Lfm2MoeForCausalLM", "lfm2moe")),
    ),
    source="Chat templates of LiquidAI/LFM2-8B-A1B, LFM2.5-8B-A1B and LFM2.5-Instruct; parsers of vLLM 0.32 and "
    "SGLang 0.5.22 (lfm2) and of Ollama (lfm2, lfm2-thinking) for the variants that models write.",
    example="<think>A train to Graz for two.</think>"
    '<|tool_call_start|>[find_trains(to="Graz", seats=2)]<|tool_call_end|>',
)
