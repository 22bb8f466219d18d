"""Kimi K3 (XTML): elements with markers of their own around all that is said; arguments say their type.

A message is thinking, a response and tools, each in its element; the model often leaves out an empty response, and what
closes its thinking before the next element. What it thinks in an element that the prompt skipped is reasoning all the
same.
"""

from ..format import Answer, Call, Format, Json, Params, Reasoning, Signs, Tools, Turns

FORMAT = Format(
    name="kimi_k3",
    turns=Turns(
        '<|open|>message role="assistant"<|sep|>',
        others=('<|open|>message role="',),
        ends=("<|close|>message<|sep|>", "<|end_of_msg|>"),
    ),
    reasoning=Reasoning(
        "<|open|>think<|sep|>",
        # The second one where the model answers at once, in the element that the prompt opened for its thinking.
        ("<|close|>think<|sep|>", "<|close|>response<|sep|>"),
        opened_by="prompt",
        toggle=("thinking", "enable_thinking"),
        reopens=True,
    ),
    answer=Answer("<|open|>response<|sep|>", "<|close|>response<|sep|>", anywhere=True),
    tools=Tools(
        (
            Call(
                ('<|open|>call tool="{name}" index="{index}"<|sep|>', '<|open|>call tool="{name}"<|sep|>'),
                "<|close|>call<|sep|>",
                Params(
                    (
                        '<|open|>argument key="{key}" type="{type}"<|sep|>',
                        '<|open|>argument key="{key}"<|sep|>',
                    ),
                    "<|close|>argument<|sep|>",
                    untyped="json",
                    key_entities=True,
                ),
            ),
            # All arguments in one element, where the template was given them as text.
            Call(
                '<|open|>call tool="{name}" index="{index}"<|sep|><|open|>json type="object"<|sep|>',
                "<|close|>json<|sep|><|close|>call<|sep|>",
                Json(),
            ),
        ),
        open="<|open|>tools<|sep|>",
        close="<|close|>tools<|sep|>",
    ),
    special=("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"),
    signs=(
        Signs(template=("<|open|>", "<|close|>", "<|sep|>")),
        Signs(vocabulary=("<|open|>", "<|close|>", "<|sep|>")),
        Signs(models=("*kimi-k3*", "kimi_k3", "KimiK3ForConditionalGeneration")),
    ),
    source="Chat template of moonshotai/Kimi-K3; parsers of vLLM 0.32 and SGLang 0.5.22 (kimi_k3) for the variants "
    "that models write.",
    example="A train to Graz for two.<|close|>think<|sep|><|open|>response<|sep|><|close|>response<|sep|>"
    '<|open|>tools<|sep|><|open|>call tool="find_trains" index="1"<|sep|>'
    '<|open|>argument key="to" type="string"<|sep|>Graz<|close|>argument<|sep|>'
    '<|open|>argument key="seats" type="number"<|sep|>2<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
)
