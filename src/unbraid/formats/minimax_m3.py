"""MiniMax M3: elements named after the parameters, nested for objects and lists, and one namespace before every tag."""

from ..format import Call, Format, Nested, Reasoning, Signs, Tools, Turns

_N = "]<]minimax[>["

FORMAT = Format(
    name="minimax_m3",
    turns=Turns("]~b]ai\n", others=("]~b]", "]~!b["), ends=("[e~[",)),
    reasoning=Reasoning("<mm:think>", "</mm:think>", default=False, toggle=("thinking_mode",)),
    tools=Tools(
        Call(f'{_N}<invoke name="{{name}}">\n', f"{_N}</invoke>\n", Nested(_N)),
        open=f"\n{_N}<tool_call>\n",
        close=f"{_N}</tool_call>",
    ),
    special=("]~b]", "]~!b[", "[e~[", "<mm:think>", "</mm:think>"),
    signs=(
        Signs(template=("]<]minimax[>[", "<mm:think>")),
        Signs(vocabulary=("<mm:think>",)),
        Signs(
            models=("*minimax-m3*", "MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"),
        ),
    ),
    source="Chat template of MiniMaxAI/MiniMax-M3; parsers of vLLM 0.32 and SGLang 0.5.22 (minimax_m3).",
    example="<mm:think>A train to Graz for two.</mm:think>"
    f'{_N}<tool_call>\n{_N}<invoke name="find_trains">\n'
    f"{_N}<to>Graz{_N}</to>\n{_N}<seats>2{_N}</seats>\n{_N}</invoke>\n{_N}</tool_call>",
)
