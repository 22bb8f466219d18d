"""Llama 3.1 to 3.3, and Llama 4 when it writes JSON: a message that is a call object, without a marker around it.

Only the first word of an answer can begin one, and only a tool that was offered makes it a call. Built-in tools begin
with a token; what follows it may be a call object, too.
"""

from ..format import Call, Format, JsonCall, Tools, Turns

_OBJECT = JsonCall(arguments=("parameters", "arguments"), array="never", others=("type", "id"))

FORMAT = Format(
    name="llama3_json",
    turns=Turns(
        ("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|header_start|>assistant<|header_end|>\n\n"),
        others=("<|start_header_id|>", "<|header_start|>", "<|begin_of_text|>"),
        ends=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|eot|>", "<|eom|>"),
    ),
    tools=Tools((Call(None, None, _OBJECT, separator="; "), Call("<|python_tag|>", None, _OBJECT, separator="; "))),
    special=("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"),
    aliases=("llama4_json", "llama3", "llama_3"),
    source="Chat templates of meta-llama/Llama-3.1-8B-Instruct and Llama-3.3-70B-Instruct; parsers of vLLM 0.32 "
    "(llama3_json, llama4_json) and SGLang 0.5.22 (llama3) for the variants that models write.",
    example='{"name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}',
)
