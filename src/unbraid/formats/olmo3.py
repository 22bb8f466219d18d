"""OLMo 3 and 3.1: Python calls, one a line, between tags of plain text.

Think is under a prompt that opens thinking, Instruct under one that says nothing. What Think wrote without ever closing
its thinking, or without a word after it, is its answer.
"""

from ..format import Call, Format, Python, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="olmo3",
    turns=Turns("<|im_start|>assistant\n", others=("<|im_start|>",), ends=("<|im_end|>", "<|endoftext|>")),
    reasoning=Reasoning(
        ("<think>", "<think>\n"),
        ("</think>", "\n</think>\n\n"),
        opened_by="prompt",
        default=False,
        promote="always",
    ),
    tools=Tools(
        Call(
            ("<function_calls>", "<function_calls>\n"),
            ("</function_calls>", "\n</function_calls>"),
            Python("lines"),
        )
    ),
    special=("<|im_start|>", "<|im_end|>", "<|endoftext|>"),
    aliases=("olmo3_think",),
    signs=(
        Signs(template=("<|im_start|>", "<function_calls>")),
        Signs(models=("*olmo-3-*", "*olmo-3.1-*", "olmo3", "Olmo3ForCausalLM")),
    ),
    source="Training templates of allenai/open-instruct for OLMo 3 Instruct and Think, and vLLM's template; parsers of "
    "vLLM 0.32 (olmo3) and of Ollama (olmo3, olmo3-think) for the variants that models write.",
    example='A train to Graz for two.</think><function_calls>find_trains(to="Graz", seats=2)</function_calls>',
)
