"""Calls as a Python list and nothing around it: Llama 3.2, Llama 4, ToolACE, and Gemma 3 with such a template.

Only the first word of an answer can begin the list, and only a tool that was offered makes it a call. Llama 4 may put
it between two tokens; then it may stand anywhere.
"""

from ..format import Call, Format, Python, Signs, Tools, Turns

FORMAT = Format(
    name="pythonic",
    turns=Turns(
        (
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
            "<|header_start|>assistant<|header_end|>\n\n",
            "<start_of_turn>model\n",
        ),
        others=("<|start_header_id|>", "<|header_start|>", "<start_of_turn>", "<|begin_of_text|>"),
        ends=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>", "<end_of_turn>"),
    ),
    tools=Tools((Call(None, None, Python()), Call("<|python_start|>", "<|python_end|>", Python()))),
    special=(
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|header_start|>",
        "<|header_end|>",
        "<|eot|>",
        "<|eom|>",
        "<start_of_turn>",
        "<end_of_turn>",
        "<|python_start|>",
        "<|python_end|>",
    ),
    aliases=("llama4_pythonic", "toolace"),
    signs=(
        Signs(template=("<|start_header_id|>", "[func_name1(")),
        Signs(template=("<|header_start|>", "[func_name1(")),
        Signs(template=("<start_of_turn>", "[func_name1(")),
        Signs(models=("*toolace*",)),
    ),
    source="Chat templates for Llama 3.2, Llama 4, Gemma 3 and Team-ACE/ToolACE-8B with Python calls; parsers of "
    "vLLM 0.32 (pythonic, llama4_pythonic) and SGLang 0.5.22 (pythonic) for the variants that models write.",
    example='[find_trains(to="Graz", seats=2)]',
)
