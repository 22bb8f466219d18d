"""Seed-OSS: XML-like calls as Qwen3-Coder's, in markers of its own, values without line ends around them.

The template switches thinking off with a number (``thinking_budget`` 0, which closes an empty block in the prompt);
``enable_thinking`` is what vLLM's parser goes by.
"""

from ..format import Call, Format, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="seed_oss",
    turns=Turns("<seed:bos>assistant\n", others=("<seed:bos>",), ends=("<seed:eos>",)),
    reasoning=Reasoning("<seed:think>", "</seed:think>\n", toggle=("enable_thinking",)),
    tools=Tools(
        Call(
            "<function={name}>\n",
            "</function>\n",
            Params("\n<parameter={key}>", "</parameter>\n", scalars="python"),
        ),
        open=("\n\n<seed:tool_call>\n", "\n<seed:tool_call>\n"),
        close="</seed:tool_call>",
        section="per_call",
        optional=True,
    ),
    special=(
        "<seed:bos>",
        "<seed:eos>",
        "<seed:think>",
        "</seed:think>",
        "<seed:tool_call>",
        "</seed:tool_call>",
    ),
    signs=(
        Signs(template=("<seed:bos>", "<seed:tool_call>", "<function=", "<parameter=")),
        Signs(vocabulary=("<seed:tool_call>",)),
        Signs(models=("*seed-oss*", "seed_oss", "SeedOssForCausalLM")),
    ),
    source="Chat template of ByteDance-Seed/Seed-OSS-36B-Instruct; parser of vLLM 0.32 (seed_oss).",
    example="<seed:think>A train to Graz for two.</seed:think>\n"
    "<seed:tool_call>\n<function=find_trains>\n<parameter=to>Graz</parameter>\n"
    "<parameter=seats>2</parameter>\n</function>\n</seed:tool_call>",
)
