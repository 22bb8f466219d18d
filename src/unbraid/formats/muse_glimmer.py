"""Muse Glimmer (ATEM): messages with a recipient in their header; a call is ``atem:`` elements in one of a tool's.

``self`` is reasoning, ``user`` or nobody the answer; there, elements are quoted text and no call. A call's name is that
of its own element, whatever the header says. A message to anyone else that holds no call stays readable as content.
"""

from ..format import Answer, Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="muse_glimmer",
    turns=Turns(
        "<|start|>assistant",
        others=("<|start|>system", "<|start|>user", "<|start|>tool"),
        ends=("<|eot|>", "<|eom|>"),
        headed=True,
    ),
    reasoning=Reasoning(
        "{?<|start|>assistant }to=self<|message|>", "<|eom|>", toggle=("reasoning_strength",), reopens=True
    ),
    answer=Answer(
        (
            "{?<|start|>assistant }to=user<|message|>",
            "{?<|start|>assistant }to={recipient}<|message|>",
            "<|start|>assistant<|message|>",
        ),
        ("<|eot|>", "<|eom|>"),
        anywhere=True,
    ),
    tools=Tools(
        Call(
            '<atem:invoke name="{name}">\n',
            "</atem:invoke>\n",
            Params('<atem:parameter name="{key}">', "</atem:parameter>\n"),
        ),
        open="{?<|start|>assistant }to={recipient}<|message|><atem:function_calls>\n",
        close="</atem:function_calls>",
        section="per_call",
    ),
    special=("<|start|>", "<|message|>", "<|eom|>", "<|eot|>"),
    aliases=("muse", "glimmer"),
    signs=(
        Signs(template=("<|start|>assistant", "<|message|>", "<atem:function_calls>")),
        Signs(models=("*muse-glimmer*",)),
    ),
    source="Chat template in Ollama's tests (glimmer); parsers of vLLM 0.32 (muse_glimmer), SGLang 0.5.22 (muse) and "
    "Ollama (glimmer) for the variants that models write.",
    example=" to=self<|message|>A train to Graz for two.<|eom|>"
    "<|start|>assistant to=find_trains<|message|><atem:function_calls>\n"
    '<atem:invoke name="find_trains">\n<atem:parameter name="to">Graz</atem:parameter>\n'
    '<atem:parameter name="seats">2</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>',
)
