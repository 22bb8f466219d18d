"""MiniMax M2, M2.1 and M2.5: attribute XML, all calls in one section; the prompt always opens thinking.

Models also write names in single quotes, and those of functions in none; both are read.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="minimax_m2",
    turns=Turns("]~b]ai\n", others=("]~b]", "]~!b["), ends=("[e~[",)),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", opened_by="prompt"),
    tools=Tools(
        Call(
            ('<invoke name="{name}">\n', "<invoke name='{name}'>\n", "<invoke name={name}>\n"),
            "</invoke>\n",
            Params(
                ('\n<parameter name="{key}">', "\n<parameter name='{key}'>"),
                "</parameter>\n",
            ),
        ),
        open="\n<minimax:tool_call>\n",
        close="</minimax:tool_call>",
    ),
    special=(
        "]~!b[",
        "]~b]",
        "[e~[",
        "<think>",
        "</think>",
        "<minimax:tool_call>",
        "</minimax:tool_call>",
    ),
    aliases=("minimax", "minimax_m2_append_think", "minimax_append_think"),
    signs=(
        Signs(template=("<minimax:tool_call>",)),
        Signs(vocabulary=("<minimax:tool_call>",)),
        Signs(models=("*minimax-m2*", "minimax_m2", "MiniMaxM2ForCausalLM")),
    ),
    source="Chat template of MiniMaxAI/MiniMax-M2; parsers of vLLM 0.32 (minimax_m2) and SGLang 0.5.22 (minimax-m2) "
    "for the variants that models write.",
    example="A train to Graz for two.\n</think>\n\n"
    '<minimax:tool_call>\n<invoke name="find_trains">\n<parameter name="to">Graz</parameter>\n'
    '<parameter name="seats">2</parameter>\n</invoke>\n</minimax:tool_call>',
)
