"""dots (dots3-note, dots.llm2): attribute XML, all calls in one section or each in its own; JSON is read there too.

A value stands between two line ends, which aren't part of it; models also write it without them.
"""

from ..format import Call, Format, JsonCall, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="dots",
    turns=Turns(
        "<|assistant|>",
        others=("<|system|>", "<|user|>"),
        ends=("<|endofassistant|>", "<|endoftext|>"),
    ),
    reasoning=Reasoning("<think>\n", "\n</think>\n\n", toggle=("enable_thinking",)),
    tools=(
        Tools(
            Call(
                ('<invoke name="{name}">\n', "<invoke name='{name}'>\n", "<invoke name={name}>\n"),
                "</invoke>\n",
                Params(
                    ('\n<parameter name="{key}">\n', "\n<parameter name='{key}'>\n"),
                    "\n</parameter>\n",
                ),
            ),
            open="\n<dots_function_call>\n",
            close="</dots_function_call>",
        ),
        Tools(Call("\n<dots_function_call>\n", "</dots_function_call>", JsonCall())),
    ),
    special=(
        "<|system|>",
        "<|user|>",
        "<|assistant|>",
        "<|endofassistant|>",
        "<|endoftext|>",
        "<think>",
        "</think>",
        "<dots_function_call>",
        "</dots_function_call>",
    ),
    signs=(
        Signs(template=("<dots_function_call>",)),
        Signs(vocabulary=("<dots_function_call>",)),
        Signs(models=("*dots.llm2*", "*dots1.5*", "*dots3-note*", "dots3_note")),
    ),
    source="Parsers of vLLM 0.32 and SGLang 0.5.22 (dots); descriptions of dots3-note's chat template and its tokens "
    "in the tests of other engines. The template itself wasn't read.",
    example="<think>\nA train to Graz for two.\n</think>\n\n"
    '<dots_function_call>\n<invoke name="find_trains">\n'
    '<parameter name="to">\nGraz\n</parameter>\n<parameter name="seats">\n2\n</parameter>\n'
    "</invoke>\n</dots_function_call>",
)
