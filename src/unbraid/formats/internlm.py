"""InternLM2.5, InternLM3 and Intern-S1: one JSON object with name and parameters between action tokens.

Intern-S1 writes a space between the two opening tokens, the older models don't; both are read. Only Intern-S1 thinks.
"""

from ..format import Call, Format, JsonCall, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="internlm",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call(
            "<|action_start|> <|plugin|>\n",
            "<|action_end|>",
            JsonCall(arguments=("parameters", "arguments"), array="never"),
        )
    ),
    special=("<|im_start|>", "<|im_end|>", "<|action_start|>", "<|action_end|>", "<|plugin|>"),
    aliases=("interns1",),
    signs=(
        Signs(template=("<|im_start|>", "<|action_start|>", "<|plugin|>")),
        Signs(models=("*internlm2.5*", "*internlm2_5*", "*internlm3*", "*intern-s1*", "InternLM3ForCausalLM")),
    ),
    source="Chat template of internlm/internlm2_5 (vLLM's tool variant); parsers of vLLM 0.32 (internlm) and "
    "SGLang 0.5.22 (interns1).",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '<|action_start|> <|plugin|>\n{"name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}<|action_end|>',
)
