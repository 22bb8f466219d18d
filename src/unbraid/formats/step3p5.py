"""Step-3.5 and Step-3.7: calls as Qwen3-Coder's, right after the answer; the prompt always opens thinking.

``reasoning_effort`` adds a line to the system prompt and switches nothing.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="step3p5",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n", opened_by="prompt"),
    tools=Tools(
        Call(
            "<function={name}>\n",
            "</function>\n",
            Params("<parameter={key}>\n", "\n</parameter>\n", scalars="python"),
        ),
        open=("<tool_call>\n", "\n<tool_call>\n"),
        close="</tool_call>",
        section="per_call",
        optional=True,
    ),
    special=("<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"),
    signs=(
        Signs(template=("<|im_start|>", "<tool_call>", "<function=", "<parameter=", "<im_patch>")),
        Signs(
            template=("<|im_start|>", "<tool_call>", "<function=", "<parameter="),
            models=("*step-3.5*", "*step-3.7*", "Step3p5ForCausalLM"),
        ),
        Signs(models=("*step-3.5*", "*step-3.7*", "step3p5", "Step3p5ForCausalLM")),
    ),
    source="Chat template of stepfun-ai/Step-3.5-Flash (llama.cpp's revision); parsers of vLLM 0.32 (step3p5) and "
    "SGLang 0.5.22 (step3p5).",
    example="A train to Graz for two.\n</think>\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>",
)
